"""What every structure can do, and how those are built that look one name up after the other."""

from collections.abc import Callable, Sequence
from typing import Protocol

from schema.attribute_rules import Action, Rule, folded

Match = tuple[int, Action]
"""A position in a record's names and what happens to the attribute there."""

Matcher = Callable[[Sequence[str]], list[Match]]
"""The names of a record's attributes in, the matches out, in order of position."""

Build = Callable[[Sequence[Rule]], Matcher]
"""Prepares a structure once for all records. No two rules have the same pattern and kind."""


class Prefixes(Protocol):
    """Finds the longest prefix of a folded name."""

    def action(self, name: str) -> Action | None: ...


def patterns(rules: Sequence[Rule], is_prefix: bool) -> dict[str, Action]:
    """The actions by name, or by prefix."""
    return {rule.pattern: rule.action for rule in rules if rule.is_prefix == is_prefix}


def by_hash_and(prefixes_of: Callable[[dict[str, Action]], Prefixes]) -> Build:
    """Exact names by hash, prefixes by a structure of their own."""

    def build(rules: Sequence[Rule]) -> Matcher:
        names, prefixes = patterns(rules, False), prefixes_of(patterns(rules, True))

        def match(record: Sequence[str]) -> list[Match]:
            matches = []
            for position, name in enumerate(record):
                key = folded(name)
                action = names.get(key) or prefixes.action(key)
                if action is not None:
                    matches.append((position, action))
            return matches

        return match

    return build
