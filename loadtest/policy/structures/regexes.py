"""All rules as one regular expression: an alternation of Python's `re`, and a set of google-re2."""

import re
from collections.abc import Sequence

import re2

from loadtest.policy.structures.structure import Match, Matcher
from schema.attribute_rules import Rule, folded


def _in_order(rules: Sequence[Rule]) -> list[Rule]:
    """Of alternatives the first that fits counts: exact names first, then prefixes, the longest first."""
    return sorted(rules, key=lambda rule: (rule.is_prefix, -len(rule.pattern)))


def alternation(rules: Sequence[Rule]) -> Matcher:
    """One group a rule; the group that took part says which."""
    in_order = _in_order(rules)
    alternatives = "|".join(
        f"({re.escape(rule.pattern)}){'' if rule.is_prefix else chr(92) + 'Z'}" for rule in in_order
    )
    expression = re.compile(alternatives or r"(?!)", re.DOTALL)

    def match(record: Sequence[str]) -> list[Match]:
        matches = []
        for position, name in enumerate(record):
            found = expression.match(folded(name))
            if found is not None and found.lastindex is not None:
                matches.append((position, in_order[found.lastindex - 1].action))
        return matches

    return match


def re2_set(rules: Sequence[Rule]) -> Matcher:
    """One automaton for all rules; it answers with the numbers of those that fit, the smallest of which counts."""
    in_order = _in_order(rules)
    automaton = re2.Set.MatchSet()
    for rule in in_order:
        automaton.Add(f"^{re2.escape(rule.pattern)}{'' if rule.is_prefix else chr(92) + 'z'}")
    automaton.Compile()

    def match(record: Sequence[str]) -> list[Match]:
        matches = []
        for position, name in enumerate(record):
            numbers = automaton.Match(folded(name))
            if numbers:
                matches.append((position, in_order[min(numbers)].action))
        return matches

    return match
