import random
from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtest.policy.measure import CASES, Case, measure
from loadtest.policy.report import BASELINE, CHOSEN, Effort
from loadtest.policy.structures import STRUCTURES
from loadtest.policy.workload import FEWEST, KEPT_NAMES, MOST, make_records, make_rules
from schema.attribute_rules import Action, Rule

RULES = st.lists(
    st.builds(
        Rule, st.text("ab.\n*ß", min_size=1, max_size=4).map(str.casefold), st.booleans(), st.sampled_from(Action)
    ),
    max_size=10,
    unique_by=lambda rule: (rule.pattern, rule.is_prefix),
)


@pytest.mark.parametrize("structure", [name for name in STRUCTURES if name != BASELINE])
@given(rules=RULES, records=st.lists(st.lists(st.text("abAB.\n*ßs", max_size=6), max_size=8), max_size=4))
def test_every_structure_finds_what_comparing_finds(
    structure: str, rules: Sequence[Rule], records: Sequence[Sequence[str]]
) -> None:
    by_definition, match = STRUCTURES[BASELINE](rules), STRUCTURES[structure](rules)
    for record in (*records, *records):
        assert match(record) == by_definition(record)


@pytest.mark.parametrize("rule_count", [10, 1000])
@pytest.mark.parametrize("miss_share", [0.5, 0.99])
def test_the_workload_is_what_it_says(rule_count: int, miss_share: float) -> None:
    rng = random.Random(1)
    rules = make_rules(rule_count, rng)
    assert len({(rule.pattern, rule.is_prefix) for rule in rules}) == rule_count
    records = make_records(rules, miss_share, True, 500, rng)
    match = STRUCTURES[BASELINE](rules)
    names = sum(map(len, records))
    hits = sum(len(match(record)) for record in records)
    assert all(FEWEST <= len(record) <= MOST for record in records)
    assert hits / names == pytest.approx(1 - miss_share, abs=0.03)
    assert match(KEPT_NAMES) == []


def test_names_that_never_repeat_do_not() -> None:
    rng = random.Random(1)
    records = make_records(make_rules(10, rng), 1.0, False, 50, rng)
    assert sum(len(set(record)) for record in records) == len({name for record in records for name in record})


def test_a_measurement_has_every_structure_in_every_case() -> None:
    ticks = count()
    timings = measure(Effort(records=2, rounds=2, seed=1), lambda: float(next(ticks)), lambda _: None)
    assert {(each.structure, Case(each.rules, each.miss_share, each.repeat)) for each in timings} == {
        (structure, case) for structure in STRUCTURES for case in CASES
    }
    assert {timing.speedup for timing in timings} == {1.0}
    assert {timing.microseconds for timing in timings} == {1e6 / 2}
    assert CHOSEN in STRUCTURES
