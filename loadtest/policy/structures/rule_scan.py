"""Every rule against every attribute: what the others are measured against, and the definition they must agree with."""

from collections.abc import Sequence

from loadtest.policy.structures.structure import Match, Matcher
from schema.attribute_rules import Rule, folded


def build(rules: Sequence[Rule]) -> Matcher:
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
