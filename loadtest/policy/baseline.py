"""Every rule against every attribute: the definition, and what the product's structure is measured against."""

from collections.abc import Callable, Sequence

from schema.attribute_rules import Action, Rule, folded

Match = tuple[int, Action]
"""A position in a record's names and what happens to the attribute there."""

Matcher = Callable[[Sequence[str]], list[Match]]
"""Returns the matches among the names of a record's attributes, in order of position."""

Build = Callable[[Sequence[Rule]], Matcher]
"""Prepares a structure once for all records. No two rules have the same pattern and kind."""


def build(rules: Sequence[Rule]) -> Matcher:
    """Returns a matcher that compares each name with each rule."""
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
