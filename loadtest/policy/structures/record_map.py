"""The other direction: every rule looked up among the record's names, prefixes in their sorted order."""

from bisect import bisect_left
from collections.abc import Sequence

from loadtest.policy.structures.structure import Match, Matcher, patterns
from schema.attribute_rules import Rule, folded


def build(rules: Sequence[Rule]) -> Matcher:
    names = list(patterns(rules, False).items())
    # The longest come last and overwrite what shorter ones decided; exact names overwrite them all.
    prefixes = sorted(patterns(rules, True).items(), key=lambda item: len(item[0]))

    def match(record: Sequence[str]) -> list[Match]:
        positions: dict[str, list[int]] = {}
        for position, name in enumerate(record):
            positions.setdefault(folded(name), []).append(position)
        in_order = sorted(positions)
        decided = {}
        for prefix, action in prefixes:
            first = bisect_left(in_order, prefix)
            while first < len(in_order) and in_order[first].startswith(prefix):
                decided[in_order[first]] = action
                first += 1
        for name, action in names:
            if name in positions:
                decided[name] = action
        return sorted((position, action) for name, action in decided.items() for position in positions[name])

    return match
