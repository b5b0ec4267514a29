"""Tests that a plan of faults depends only on its seed, and contains the requested kills and all kinds of faults."""

from collections import Counter

import pytest

from loadtest.faults.plan import Kind, plan
from loadtest.services import PIPELINE


def test_the_seed_decides_everything() -> None:
    assert plan(7, 40) == plan(7, 40)
    assert plan(7, 40) != plan(8, 40)


@pytest.mark.parametrize("seed", range(20))
def test_kills_are_as_many_as_requested_and_spread_evenly(seed: int) -> None:
    faults = plan(seed, 10)
    kills = Counter(fault.target for fault in faults if fault.kind is Kind.kill)
    assert kills.total() == 10
    assert set(kills) == set(PIPELINE)
    assert max(kills.values()) - min(kills.values()) <= 1
    assert not faults[0].overlapping or faults[0].kind is Kind.cut


def test_all_kinds_come_up_and_some_overlap() -> None:
    faults = plan(1, 100)
    assert set(Counter(fault.kind for fault in faults)) == set(Kind)
    assert {fault.overlapping for fault in faults if fault.kind is Kind.kill} == {True, False}
    pauses = [fault.pause_seconds for fault in faults if fault.kind is Kind.pause]
    assert min(pauses) > 0
    assert max(pauses) > 10, "no pause is longer than the loaders' session with Kafka"


def test_chosen_targets_only() -> None:
    assert {fault.target for fault in plan(1, 30, ["loader"]) if fault.kind is not Kind.cut} == {"loader"}


def test_no_kills_no_faults() -> None:
    assert plan(1, 0) == ()
