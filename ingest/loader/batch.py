"""Batches of a partition's messages, and their limits."""

from dataclasses import dataclass
from typing import Final

from ingest.committed.intent import IntendedRange, OffsetRange
from schema.coordinates import UNKNOWN_EPOCH, LogPosition
from schema.dead_letter import DeadLetter
from schema.otlp import LogMessage
from schema.usage import Usage

MESSAGE_BYTES: Final = 700
"""Bytes of the objects of one message beside its content. Measured for messages with one record: 701 bytes before and
after decoding (100,000 messages, once, on 30 November 2026)."""


@dataclass(frozen=True, slots=True)
class DecodedMessage:
    """One message's rows, all in one lane, and their usage counts.

    `size` is the bytes of its rows, `received_at` nanoseconds since the Unix epoch. `days` are the days of its rows;
    each day, with the message's cohort, is one partition of the table.
    """

    lane: int
    cohort: str
    days: frozenset[int]
    rows: LogMessage
    size: int
    received_at: int
    usage: Usage

    @property
    def held_bytes(self) -> int:
        """Bytes that the message takes in memory. Its rows are built only when they are inserted."""
        return len(self.rows.message.value) + MESSAGE_BYTES


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """Limits of a batch. It is due when it has `rows` rows or `size` bytes of rows, or `seconds` after its first
    message; later if it has many table partitions.

    `parts` is the largest number of table partitions of one insert: each becomes a part on disk and a token that
    ClickHouse remembers.
    """

    rows: int
    size: int
    seconds: float
    parts: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows by lane and usage counts of one offset range. Both follow from the range alone, so a repetition has the
    same.

    `dead` has the messages that gave no rows; `held_bytes` is the memory of all messages. Rows and usage go to
    `shard`. `start_epoch` is the leader epoch to commit with the first offset. `end` is the position to commit after
    the inserts: the end of the range, or the first offset from which on Kafka has lost the messages of the range.
    `repeated` is the range if an earlier owner may have inserted it, and says what that owner stored; None for a new
    range.
    """

    offsets: OffsetRange
    lanes: dict[int, list[LogMessage]]
    dead: list[DeadLetter]
    usage: Usage
    held_bytes: int
    oldest_received_at: int | None
    shard: int
    end: LogPosition
    start_epoch: int = UNKNOWN_EPOCH
    repeated: IntendedRange | None = None

    @property
    def inserted(self) -> frozenset[int]:
        """Lanes whose rows an earlier owner of the partition stored."""
        return frozenset() if self.repeated is None else self.repeated.inserted

    @property
    def split(self) -> frozenset[int]:
        """Lanes of which an earlier owner of the partition may have stored some rows."""
        return frozenset() if self.repeated is None else self.repeated.split

    @property
    def views_counted(self) -> bool:
        """Returns whether views in ClickHouse have counted the fields of rows that an earlier owner stored."""
        return self.repeated is not None and self.repeated.views_counted
