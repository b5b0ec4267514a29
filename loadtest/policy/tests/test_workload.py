"""Tests that rules and records have the requested shares of hits, and that all cases are measured."""

import random

import pytest

from ingest.policy.apply import Policy
from loadtest.policy.request_cost import HIT_SHARES, RULE_COUNTS, RequestCosts
from loadtest.policy.workload import KEPT_NAMES, MAX_ATTRIBUTES, MIN_ATTRIBUTES, make_records, make_rules
from schema.attribute_rules import TenantRules


@pytest.mark.parametrize("rule_count", [10, 1000])
@pytest.mark.parametrize("miss_share", [0.5, 0.99])
@pytest.mark.parametrize("same_order", [True, False])
def test_the_workload_is_what_it_says(rule_count: int, miss_share: float, same_order: bool) -> None:
    rng = random.Random(1)
    rules = make_rules(rule_count, rng)
    assert len({(rule.pattern, rule.is_prefix) for rule in rules}) == rule_count
    records = make_records(rules, miss_share, same_order, 500, rng)
    policy = Policy(TenantRules(tuple(rules)))
    names = sum(map(len, records))
    hits = sum(policy.action(name) is not None for record in records for name in record)
    assert all(MIN_ATTRIBUTES <= len(record) <= MAX_ATTRIBUTES for record in records)
    assert hits / names == pytest.approx(1 - miss_share, abs=0.03)
    assert [name for name in KEPT_NAMES if policy.action(name) is not None] == []


def test_a_measurement_has_every_case() -> None:
    ticks = iter(range(10_000))
    costs = list(RequestCosts(10, 2, 1, lambda: float(next(ticks)), lambda _: None).of_rules())
    assert [(each.rules, each.same_order, each.hit_share) for each in costs] == [
        (rules, same_order, share) for rules in RULE_COUNTS for same_order in (True, False) for share in HIT_SHARES
    ]
    assert {(each.without, each.with_rules, each.ratio, each.spread) for each in costs} == {(1e5, 1e5, 1.0, 0.0)}
