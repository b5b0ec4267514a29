"""Every structure that is measured, once, by the name it has in reports."""

from collections.abc import Sequence
from typing import Final

from ingest.policy.longest_prefix import LongestPrefix
from ingest.policy.policy import Policy
from loadtest.policy.structures import record_map, regexes, remembered, rule_scan
from loadtest.policy.structures.plain_trie import PlainTrie
from loadtest.policy.structures.prefix_lengths import PrefixLengths
from loadtest.policy.structures.structure import Build, Match, Matcher, by_hash_and
from schema.attribute_rules import Rule, TenantRules

BASELINE: Final = "every rule against every name"
CHOSEN: Final = "hash + sorted prefixes, decisions in a dict"


def _chosen(rules: Sequence[Rule]) -> Matcher:
    policy = Policy(TenantRules(tuple(rules)))

    def match(record: Sequence[str]) -> list[Match]:
        return [(position, action) for position, name in enumerate(record) if (action := policy[name]) is not None]

    return match


STRUCTURES: Final[dict[str, Build]] = {
    BASELINE: rule_scan.build,
    "every rule in the record's map": record_map.build,
    "hash + plain trie": by_hash_and(PlainTrie),
    "hash + sorted prefixes": by_hash_and(LongestPrefix),
    "hash + hash by prefix length": by_hash_and(PrefixLengths),
    "one regular expression (re)": regexes.alternation,
    "one automaton (google-re2 Set)": regexes.re2_set,
    "hash + sorted prefixes, lru_cache": remembered.in_lru_cache,
    "hash + sorted prefixes, free names in a set": remembered.in_set,
    CHOSEN: _chosen,
}
