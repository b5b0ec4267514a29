"""Buffers of a partition and messages for them, in which only sizes, lanes and days matter."""

from ingest.committed.intent import IntendedRange, ResumePosition
from ingest.loader.batch import BatchLimits, DecodedMessage
from ingest.loader.partition_buffer import PartitionBuffer
from ingest.loader.tests.rows import some_rows
from kit.clock import ManualClock
from schema.coordinates import LogPosition
from schema.dead_letter import DeadLetter, Origin
from schema.usage import Usage

EPOCH = 3
LIMITS = BatchLimits(rows=10, size=1000, seconds=0.5, parts=3)


def message(  # noqa: PLR0913, PLR0917 what a message may differ in
    rows: int = 1,
    size: int = 10,
    lane: int = 0,
    received_at: int = 100,
    cohort: str = "r30",
    days: tuple[int, ...] = (20_000,),
) -> DecodedMessage:
    return DecodedMessage(lane, cohort, frozenset(days), some_rows(rows), size, received_at, Usage())


def dead(offset: int = 5, value: bytes = b"?") -> DeadLetter:
    return DeadLetter(Origin("ab" * 16, 0, offset), "not_otlp", "why", None, [], value)


def at(offset: int, leader_epoch: int = EPOCH) -> LogPosition:
    return LogPosition(offset, leader_epoch)


def buffer(start: int | None = 5, intended_end: int | None = None, clock: ManualClock | None = None) -> PartitionBuffer:
    intended = None if intended_end is None else IntendedRange(intended_end, EPOCH)
    position = ResumePosition(start, EPOCH, intended)
    return PartitionBuffer(0, position, LIMITS, clock or ManualClock(), shard=0)
