"""Structures behind a bounded memory of names: functools.lru_cache, and a set of the names no rule is about."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from ingest.policy.longest_prefix import LongestPrefix
from loadtest.policy.structures.structure import Match, Matcher, patterns
from schema.attribute_rules import Action, Rule, folded

NAMES: Final = 4096


def in_lru_cache(rules: Sequence[Rule]) -> Matcher:
    """Every decision; the name that was not seen for longest makes room."""
    names, prefixes = patterns(rules, False), LongestPrefix(patterns(rules, True))

    @lru_cache(NAMES)
    def decide(name: str) -> Action | None:
        key = folded(name)
        return names.get(key) or prefixes.action(key)

    def match(record: Sequence[str]) -> list[Match]:
        return [(position, action) for position, name in enumerate(record) if (action := decide(name)) is not None]

    return match


def in_set(rules: Sequence[Rule]) -> Matcher:
    """Names without a rule, so that one set operation passes a record of nothing else; emptied when it is full."""
    names, prefixes = patterns(rules, False), LongestPrefix(patterns(rules, True))
    free: set[str] = set()

    def match(record: Sequence[str]) -> list[Match]:
        if free.issuperset(record):
            return []
        matches = []
        for position, name in enumerate(record):
            if name in free:
                continue
            key = folded(name)
            action = names.get(key) or prefixes.action(key)
            if action is not None:
                matches.append((position, action))
                continue
            if len(free) >= NAMES:
                free.clear()
            free.add(name)
        return matches

    return match
