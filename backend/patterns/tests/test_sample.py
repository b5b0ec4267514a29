"""Tests how a sample is spread: parts cover the time without gaps, and have records in proportion to their number."""

import asyncio
import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import pytest

from backend.language.nodes import MatchAll
from backend.patterns.sample import PARTS, SAMPLE, STEPS, Sample, largest_sample, parts_of, read_sample
from backend.patterns.statements import ROW_BYTES, StepCount
from backend.store.compile.filter import compile_filter
from backend.store.rows import Cost, Rows
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Statement, SystemStatement
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore, R
from kit.clock import DAY_NS
from kit.errors import QueryTooExpensive
from kit.settings import Settings
from tests.chance import SEED, repetitions

WEEK = TimeRange(2 * 10**18, 2 * 10**18 + 7 * DAY_NS)


class Stored(FakeLogStore):
    """Answers counts and newest messages of records with these times."""

    def __init__(self, times: Sequence[int]) -> None:
        super().__init__([])
        self._times = sorted(times)

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        given: Mapping[str, Any] = statement.parameters
        times = self._times[bisect_left(self._times, given["start_ns"]) : bisect_left(self._times, given["end_ns"])]
        if "most" in given:
            return [(time, time, "text") for time in times[::-1][: given["most"]]], Cost()
        steps = [(step, list(found)) for step, found in groupby(times, lambda time: time // given["width_ns"])]
        return [(step, len(found), found[0], found[-1]) for step, found in steps], Cost()


def sampled(times: Sequence[int], most: int = SAMPLE) -> Sample:
    scope = Scope(1, (1,), ("r30",), WEEK)
    return asyncio.run(read_sample(Stored(times), scope, compile_filter(MatchAll()), most))


def part_counts(times: Iterable[int], span: TimeRange) -> list[int]:
    """Returns the number of times in each part of a span."""
    found = Counter((time - span.start_ns) * PARTS // (span.end_ns - span.start_ns) for time in times)
    return [found[part] for part in range(PARTS)]


@pytest.mark.parametrize("number", range(repetitions(100)))
@pytest.mark.parametrize("length_ns", [10**6, 60 * 10**9, DAY_NS // 2, 6 * DAY_NS])
def test_records_of_any_time_within_a_range_are_sampled_in_proportion(length_ns: int, number: int) -> None:
    chance = random.Random(f"{SEED} {number}")
    start_ns = WEEK.start_ns + chance.randrange(WEEK.end_ns - WEEK.start_ns - length_ns)
    times = [start_ns + chance.randrange(length_ns) for _ in range(3_000)]
    found = sampled(times, 1_000)

    assert (found.matching, found.time_range) == (len(times), TimeRange(min(times), max(times) + 1))
    assert len(found.messages) == 1_000
    assert len({message.id for message in found.messages} & {*times}) > 990
    taken = [message.timestamp_ns for message in found.messages]
    assert taken == sorted(taken, reverse=True)
    # Steps belong to one part as a whole, so a part may have the records of one of its ten steps more or less.
    for own, every in zip(part_counts(taken, found.time_range), part_counts(times, found.time_range), strict=True):
        assert abs(own - every / 3) <= 15


@pytest.mark.parametrize("number", range(repetitions(100)))
def test_a_burst_among_few_other_records_is_sampled_wherever_it_lies(number: int) -> None:
    chance = random.Random(f"{SEED} {number}")
    others = range(WEEK.start_ns, WEEK.end_ns, DAY_NS // 24)
    width_ns = (WEEK.end_ns - WEEK.start_ns) // STEPS
    # The last fifth of a step that contains the border of two parts.
    border_ns = WEEK.start_ns + chance.randrange(1, PARTS) * (WEEK.end_ns - WEEK.start_ns) // PARTS
    burst_ns = (border_ns // width_ns + 1) * width_ns - width_ns // 5
    burst = [burst_ns + chance.randrange(width_ns // 5) for _ in range(3_000)]
    found = sampled([*others, *burst], 1_000)

    of_burst = sum(burst_ns <= message.timestamp_ns < burst_ns + width_ns // 5 for message in found.messages)
    assert abs(of_burst - 1_000 * len(burst) / (len(burst) + len(others))) <= PARTS


def test_records_of_one_nanosecond_are_sampled() -> None:
    found = sampled([WEEK.start_ns + 5] * 20)
    assert (len(found.messages), found.matching) == (20, 20)
    found = sampled([WEEK.start_ns + 5] * 20, 4)
    assert (len(found.messages), found.matching) == (4, 20)


def test_a_part_without_records_is_not_sampled() -> None:
    counts = [StepCount(0, 50_000, 5, 7), StepCount(1_999, 150_000, 1_990, 1_999)]
    quarter = SAMPLE // 4
    assert parts_of(counts, TimeRange(5, 2_000), SAMPLE) == [
        (TimeRange(5, 8), quarter),
        (TimeRange(1_990, 2_000), 3 * quarter),
    ]


def test_a_sample_fits_the_smallest_answer_that_a_statement_of_a_busy_tenant_may_have() -> None:
    assert largest_sample(Settings().query_max_result_bytes) == SAMPLE
    assert largest_sample(8 * 100 * ROW_BYTES) == 100
    assert largest_sample(1) == 1


def test_all_messages_are_no_estimate_even_if_counting_them_costs_too_much() -> None:
    class Newest(FakeLogStore):
        """Refuses counts, and answers with `messages` messages."""

        messages = 0

        def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
            if "most" not in statement.parameters:
                raise QueryTooExpensive("too many rows")
            return [(9 - number, number, "text") for number in range(self.messages)], Cost()

    store, scope = Newest([]), Scope(1, (1,), ("r30",), TimeRange(0, 10))
    for store.messages, known in ((0, 0), (2, 2), (3, None)):
        found = asyncio.run(read_sample(store, scope, compile_filter(MatchAll()), 3))
        assert (len(found.messages), found.matching) == (store.messages, known)


def test_a_sample_runs_one_statement_at_a_time() -> None:
    class OneAtATime(Stored):
        is_running = False

        async def run(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:
            assert not self.is_running
            self.is_running = True
            await asyncio.sleep(0)
            self.is_running = False
            return await super().run(statement)

    store = OneAtATime([WEEK.start_ns + each * DAY_NS // 10 for each in range(70)])
    scope = Scope(1, (1,), ("r30",), WEEK)
    found = asyncio.run(read_sample(store, scope, compile_filter(MatchAll()), 20))
    assert len(found.messages) == 20
    assert len(store.requested) > PARTS / 2
