"""Tests how a sample is spread: parts cover the time without gaps, and have records in proportion to their number."""

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import pytest

from backend.language.nodes import MatchAll
from backend.patterns import sample
from backend.patterns.sample import PARTS, SAMPLE, STEPS, parts_of, read_sample
from backend.patterns.statements import StepCount
from backend.store.compile.filter import compile_filter
from backend.store.rows import Cost
from backend.store.scope import Scope, TimeRange
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore
from kit.errors import QueryTooExpensive

WIDTH_NS = 1_000
RANGE = TimeRange(0, STEPS * WIDTH_NS)


@pytest.mark.parametrize("seed", range(20))
def test_parts_have_records_in_proportion(seed: int) -> None:
    chance = random.Random(seed)
    records = chance.choice([20, 1_000, 10**7])
    counts = [StepCount(step, chance.randint(1, records)) for step in range(STEPS)]
    total = sum(count.records for count in counts)
    parts = parts_of(counts, WIDTH_NS, RANGE)

    assert [part.time_range.start_ns for part in parts] == [part * STEPS // PARTS * WIDTH_NS for part in range(PARTS)]
    assert [part.time_range.end_ns for part in parts[:-1]] == [part.time_range.start_ns for part in parts[1:]]
    assert parts[-1].time_range.end_ns == RANGE.end_ns
    assert sum(part.records for part in parts) == SAMPLE
    for part in parts:
        own = sum(
            count.records
            for count in counts
            if part.time_range.start_ns <= count.step * WIDTH_NS < part.time_range.end_ns
        )
        assert abs(part.records - own * SAMPLE / total) <= 1


def test_a_part_without_records_is_not_sampled() -> None:
    parts = parts_of([StepCount(0, 50_000), StepCount(STEPS - 1, 150_000)], WIDTH_NS, RANGE)

    assert [part.records for part in parts] == [SAMPLE // 4, *[0] * (PARTS - 2), 3 * SAMPLE // 4]


def test_a_time_shorter_than_its_parts_is_one_part() -> None:
    assert parts_of([StepCount(7, 20_000)], 1, TimeRange(7, 8)) == [(TimeRange(7, 8), SAMPLE)]


def test_all_messages_are_no_estimate_even_if_counting_them_costs_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "SAMPLE", 3)

    class Newest(FakeLogStore):
        """Refuses counts, and answers with `messages` messages."""

        messages = 0

        def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
            if "most" not in statement.parameters:
                raise QueryTooExpensive("too many rows")
            return [(9 - number, number, "text") for number in range(self.messages)], Cost()

    store, scope = Newest([]), Scope(1, (1,), ("r30",), TimeRange(0, 10))
    for store.messages, known in ((0, 0), (2, 2), (3, None)):
        found = asyncio.run(read_sample(store, scope, compile_filter(MatchAll())))
        assert (len(found.messages), found.matching) == (store.messages, known)
