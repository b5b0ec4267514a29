"""Samples matching messages, spread over their time so that each part of it has its share of the sample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, NamedTuple

from backend.patterns.statements import SampledMessage, StepCount, count_steps, newest_messages
from backend.store.compile.filter import Filter
from backend.store.execute import Executor
from backend.store.scope import Scope, TimeRange
from backend.store.together import all_of
from kit.errors import QueryTooExpensive

SAMPLE: Final = 10_000
"""Largest number of records of a sample."""
PARTS: Final = 20
"""Number of equal parts of the time from the first to the last matching record. Each is read by one statement."""
STEPS: Final = 2_000
"""Number of steps of a range in which matching records are counted, to find the times of the parts."""
CONCURRENT: Final = 4
"""Number of statements of one sample that run at the same time."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Sampled messages, newest first, and the range of time that they represent.

    `matching` is the number of all matching records. If counting them costs too much, the messages are the newest ones,
    and it is None unless these are all.
    """

    messages: Sequence[SampledMessage]
    time_range: TimeRange
    matching: int | None


class Part(NamedTuple):
    """One of the equal parts of the time between the first and the last matching record, and the number of records that
    are sampled from it."""

    time_range: TimeRange
    records: int


async def read_sample(executor: Executor, scope: Scope, matching: Filter) -> Sample:
    """Returns all matching messages if there are at most SAMPLE of them, otherwise a sample.

    The sample has the newest records of each part of the time, in proportion to the number of matching records in the
    part. Equal requests over unchanged records get equal samples. Raises what Executor.run raises.
    """
    time_range = scope.time_range
    width_ns = -(-(time_range.end_ns - time_range.start_ns) // STEPS)
    try:
        counts = (await executor.run(count_steps(scope, matching, width_ns))).rows
    except QueryTooExpensive:
        return await _newest(executor, scope, matching, None)
    found = sum(count.records for count in counts)
    if found <= SAMPLE:
        return await _newest(executor, scope, matching, found)
    span = _span(counts, width_ns, time_range)
    messages: list[SampledMessage] = []
    parts = [part for part in reversed(parts_of(counts, width_ns, span)) if part.records]
    for first in range(0, len(parts), CONCURRENT):
        statements = (
            newest_messages(replace(scope, time_range=part.time_range), matching, part.records)
            for part in parts[first : first + CONCURRENT]
        )
        for rows in await all_of(map(executor.run, statements)):
            messages += rows.rows
    return Sample(messages, span, found)


def parts_of(counts: Sequence[StepCount], width_ns: int, span: TimeRange) -> list[Part]:
    """Returns the parts of a time, oldest first. Together they have SAMPLE records.

    The records of a step count for the part that contains the middle of the step.
    """
    length_ns = span.end_ns - span.start_ns
    if length_ns < PARTS:
        return [Part(span, SAMPLE)]

    def part_of(count: StepCount) -> int:
        middle_ns = count.step * width_ns + width_ns // 2
        return min(max((middle_ns - span.start_ns) * PARTS // length_ns, 0), PARTS - 1)

    found = [0] * PARTS
    for part, steps in groupby(counts, part_of):
        found[part] += sum(count.records for count in steps)
    bounds = [span.start_ns - -length_ns * part // PARTS for part in range(PARTS + 1)]
    total, counted, parts = sum(found), 0, []
    for part, records in enumerate(found):
        before, counted = counted, counted + records
        sampled = counted * SAMPLE // total - before * SAMPLE // total
        parts.append(Part(TimeRange(bounds[part], bounds[part + 1]), sampled))
    return parts


async def _newest(executor: Executor, scope: Scope, matching: Filter, found: int | None) -> Sample:
    """Returns the newest SAMPLE messages. `found` is the number of all matching messages, None if it is not known. The
    sample has all of them if it is at most SAMPLE."""
    messages = (await executor.run(newest_messages(scope, matching, SAMPLE))).rows if found != 0 else []
    if found is None and len(messages) < SAMPLE:
        found = len(messages)
    if not messages:
        return Sample([], scope.time_range, found)
    # Records may have arrived since they were counted.
    total = None if found is None else max(found, len(messages))
    return Sample(messages, TimeRange(messages[-1].timestamp_ns, messages[0].timestamp_ns + 1), total)


def _span(counts: Sequence[StepCount], width_ns: int, time_range: TimeRange) -> TimeRange:
    """Returns the part of a range from the first to the last step with records."""
    start_ns, end_ns = counts[0].step * width_ns, (counts[-1].step + 1) * width_ns
    return TimeRange(max(start_ns, time_range.start_ns), min(end_ns, time_range.end_ns))
