"""The product's structure and the naive one it is measured against, by the names they have in reports."""

from collections.abc import Sequence
from typing import Final

from ingest.policy.policy import Policy
from loadtest.policy import baseline
from loadtest.policy.baseline import Build, Match, Matcher
from schema.attribute_rules import Rule, TenantRules

BASELINE: Final = "every rule against every name"
CHOSEN: Final = "hash + sorted prefixes, decisions in a dict"


def _chosen(rules: Sequence[Rule]) -> Matcher:
    policy = Policy(TenantRules(tuple(rules)))

    def match(record: Sequence[str]) -> list[Match]:
        return [(position, action) for position, name in enumerate(record) if (action := policy[name]) is not None]

    return match


STRUCTURES: Final[dict[str, Build]] = {BASELINE: baseline.build, CHOSEN: _chosen}
