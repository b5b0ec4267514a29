"""Samples matching messages, spread over their time so that each part of it has its share of the sample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, NamedTuple

from backend.patterns.statements import ROW_BYTES, SampledMessage, StepCount, count_steps, newest_messages
from backend.store.compile.filter import Filter
from backend.store.priority import MAX_DIVISOR, divided_limit
from backend.store.runs import Runs
from backend.store.scope import Scope, TimeRange
from kit.errors import QueryTooExpensive

SAMPLE: Final = 10_000
"""Largest number of records of a sample."""
PARTS: Final = 20
"""Number of parts, of about equal length, into which the time from the first to the last matching record is divided.
Each part is read by one statement."""
STEPS: Final = 2_000
"""Number of steps of a range in which matching records are counted, to find the times of the parts."""
NARROW: Final = STEPS // 10
"""Number of steps. If the time from the first to the last matching record has fewer, the records are counted again in
smaller steps, because each part of this time would have fewer than ten steps."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Sampled messages, newest first, and the range of time that they represent.

    `matching` is the number of all matching records. If counting them costs too much, the sample has the newest
    messages, and `matching` is None unless these are all matching messages.
    """

    messages: Sequence[SampledMessage]
    time_range: TimeRange
    matching: int | None


class Part(NamedTuple):
    """Time from the first to the last matching record of some steps, and the number of records that are sampled from
    it."""

    time_range: TimeRange
    records: int


def largest_sample(result_bytes: int) -> int:
    """Returns the largest number of records of a sample. `result_bytes` is the largest answer of a statement.

    ClickHouse then sends them even if the tenant runs many other statements, which make its answers smaller.
    """
    return max(1, min(SAMPLE, divided_limit(MAX_DIVISOR, result_bytes) // ROW_BYTES))


async def read_sample(executor: Runs, scope: Scope, matching: Filter, most: int) -> Sample:
    """Returns all matching messages if there are at most `most` of them, otherwise a sample of that size.

    The sample has the newest records of each part of the time, in proportion to the number of matching records in the
    part. Equal requests over unchanged records get equal samples. Raises what Executor.run raises.
    """
    try:
        counts = await _counts(executor, scope, matching, most)
    except QueryTooExpensive:
        return await _newest(executor, scope, matching, most, None)
    found = _records(counts)
    if found <= most:
        return await _newest(executor, scope, matching, most, found)
    span = _span(counts)
    messages: list[SampledMessage] = []
    for part in reversed(parts_of(counts, span, most)):
        statement = newest_messages(replace(scope, time_range=part.time_range), matching, part.records)
        messages += (await executor.run(statement)).rows
    return Sample(messages, span, found)


def parts_of(counts: Sequence[StepCount], span: TimeRange, most: int) -> list[Part]:
    """Returns the parts of a time, oldest first, except those without a record to sample. Together they have `most`
    records.

    A step belongs as a whole to the part in which its first record lies. So a burst within one step is never cut, and
    each part is read where its records were counted.
    """
    length_ns = span.end_ns - span.start_ns

    def part_of_time(count: StepCount) -> int:
        return (count.first_ns - span.start_ns) * PARTS // length_ns

    total, counted, parts = _records(counts), 0, []
    for _, grouped in groupby(counts, part_of_time):
        steps = list(grouped)
        before, counted = counted, counted + _records(steps)
        if sampled := counted * most // total - before * most // total:
            parts.append(Part(_span(steps), sampled))
    return parts


async def _counts(executor: Runs, scope: Scope, matching: Filter, most: int) -> Sequence[StepCount]:
    """Returns the numbers of matching records in steps. If there are more than `most` records, their time has at least
    NARROW steps."""
    width_ns = _width(scope.time_range)
    counts = (await executor.run(count_steps(scope, matching, width_ns))).rows
    if _records(counts) <= most:
        return counts
    span = _span(counts)
    if width_ns == 1 or span.end_ns - span.start_ns >= NARROW * width_ns:
        return counts
    return (await executor.run(count_steps(replace(scope, time_range=span), matching, _width(span)))).rows


async def _newest(executor: Runs, scope: Scope, matching: Filter, most: int, found: int | None) -> Sample:
    """Returns the newest messages, at most `most`. `found` is the number of all matching messages; None if it is not
    known. The sample has all matching messages if `found` is at most `most`."""
    messages = (await executor.run(newest_messages(scope, matching, most))).rows if found != 0 else []
    if found is None and len(messages) < most:
        found = len(messages)
    if not messages:
        return Sample([], scope.time_range, found)
    # Records may have arrived since they were counted.
    total = None if found is None else max(found, len(messages))
    return Sample(messages, TimeRange(messages[-1].timestamp_ns, messages[0].timestamp_ns + 1), total)


def _width(time_range: TimeRange) -> int:
    return -(-(time_range.end_ns - time_range.start_ns) // STEPS)


def _records(counts: Sequence[StepCount]) -> int:
    return sum(count.records for count in counts)


def _span(counts: Sequence[StepCount]) -> TimeRange:
    """Returns the time from the first to the last record of the steps."""
    return TimeRange(counts[0].first_ns, counts[-1].last_ns + 1)
