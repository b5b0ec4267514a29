"""The product's structure to look names up in, and the naive one it is measured against."""

from collections.abc import Callable, Sequence
from typing import Final

from ingest.policy.policy import Policy
from loadtest.policy.report import BASELINE, CHOSEN
from schema.attribute_rules import Action, Rule, TenantRules, folded

Match = tuple[int, Action]
"""A position in a record's names and what happens to the attribute there."""

Matcher = Callable[[Sequence[str]], list[Match]]
"""Returns the matches among the names of a record's attributes, in order of position."""

Build = Callable[[Sequence[Rule]], Matcher]
"""Prepares a structure once for all records. No two rules have the same pattern and kind."""


def _every_rule(rules: Sequence[Rule]) -> Matcher:
    """Compares each name with each rule: the definition."""
    # An exact name wins over a prefix, a longer prefix over a shorter one: in this order the first that fits decides.
    in_order = sorted(rules, key=lambda rule: (rule.is_prefix, -len(rule.pattern)))

    def match(record: Sequence[str]) -> list[Match]:
        matches = []
        for position, name in enumerate(record):
            key = folded(name)
            for rule in in_order:
                if key.startswith(rule.pattern) if rule.is_prefix else key == rule.pattern:
                    matches.append((position, rule.action))
                    break
        return matches

    return match


def _chosen(rules: Sequence[Rule]) -> Matcher:
    policy = Policy(TenantRules(tuple(rules)))

    def match(record: Sequence[str]) -> list[Match]:
        return [(position, action) for position, name in enumerate(record) if (action := policy[name]) is not None]

    return match


STRUCTURES: Final[dict[str, Build]] = {BASELINE: _every_rule, CHOSEN: _chosen}
"""By their names in reports."""
