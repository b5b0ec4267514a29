"""Collects a partition's messages into batches."""

from dataclasses import dataclass, field, replace
from typing import Final

from ingest.loader.intent import OffsetRange, ResumePosition
from kit.clock import Clock
from kit.errors import Internal
from schema.coordinates import UNKNOWN_EPOCH, LogPosition
from schema.dead_letter import DeadLetter
from schema.otlp import LogMessage
from schema.usage import Usage

USUAL_PARTS: Final = 10
"""Largest number of table partitions of a batch that is inserted after LOGSIEVE_LOADER_BATCH_SECONDS.

A batch of more partitions waits longer, in proportion to their number. Each partition gets a part on disk, which costs
some milliseconds of CPU time when it is inserted and again when it is merged. A tenant whose requests have a record of
each day makes as many parts with every batch as its retention has days.
"""

MAX_WAIT_FACTOR: Final = 3
"""Largest factor by which a batch of many table partitions waits longer."""


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
        return len(self.rows.message.value)


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """Limits of a batch. It is due when it has `rows` rows or `size` bytes of rows, or `seconds` after its first
    message; later if it has more than USUAL_PARTS table partitions.

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

    `dead` has the messages that gave no rows; `held_bytes` counts the bytes of all messages. Rows and usage go to
    `shard`. `start_epoch` is the leader epoch to commit with the first offset. `end` is the position to commit after
    the inserts: the end of the range, or the first offset from which on Kafka has lost the messages of the range.
    An earlier try stored the rows of the lanes `inserted`, and perhaps some rows of the lanes `split`.
    `repeated_since`: time, in seconds of the monotonic clock, since when this loader has had a range that an earlier
    owner may have inserted; None for other ranges. `views_counted`: views in ClickHouse have counted the fields of
    those rows.
    """

    offsets: OffsetRange
    lanes: dict[int, list[LogMessage]]
    dead: list[DeadLetter]
    usage: Usage
    held_bytes: int
    oldest_received_at: int | None
    shard: int
    end: LogPosition
    inserted: frozenset[int] = frozenset()
    split: frozenset[int] = frozenset()
    repeated_since: float | None = None
    views_counted: bool = False
    start_epoch: int = UNKNOWN_EPOCH


@dataclass(slots=True)
class _Content:
    lanes: dict[int, list[LogMessage]] = field(default_factory=dict)
    parts: dict[int, set[tuple[str, int]]] = field(default_factory=dict)
    dead: list[DeadLetter] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    rows: int = 0
    size: int = 0
    held_bytes: int = 0
    oldest: int | None = None

    def add(self, message: DecodedMessage) -> None:
        if len(message.rows):
            self.lanes.setdefault(message.lane, []).append(message.rows)
            self.parts.setdefault(message.lane, set()).update((message.cohort, day) for day in message.days)
        self.usage.update(message.usage)
        self.rows += len(message.rows)
        self.size += message.size
        self.held_bytes += message.held_bytes
        self.oldest = message.received_at if self.oldest is None else min(self.oldest, message.received_at)

    @property
    def wait_factor(self) -> float:
        """Factor by which the batch waits longer than one of few table partitions."""
        parts = sum(len(each) for each in self.parts.values())
        return min(max(1.0, parts / USUAL_PARTS), MAX_WAIT_FACTOR)

    def parts_with(self, message: DecodedMessage) -> int:
        return len(self.parts.get(message.lane, set()) | {(message.cohort, day) for day in message.days})


class PartitionBuffer:
    """Collects one partition's messages in order and returns them as batches without a gap between them.

    A batch that repeats an earlier owner's range ends exactly where that range ended, whatever the limits, and goes to
    that owner's shard. All other batches go to `shard`.
    """

    def __init__(self, partition: int, position: ResumePosition, limits: BatchLimits, clock: Clock, shard: int) -> None:
        self.partition = partition
        self._start = position.start
        self._start_epoch = self._end_epoch = position.start_epoch
        self._intended_end = _end_of_range(position)
        self._intent = position
        self._shard = shard
        self._limits = limits
        self._clock = clock
        self._next: int | None = None
        self._content: _Content | None = None
        self._since = 0.0
        self._assigned_at = clock.monotonic()

    @property
    def start(self) -> int | None:
        """First offset that is in no batch yet; None if nothing was ever committed or added."""
        return self._start

    @property
    def shards(self) -> frozenset[int]:
        """Numbers of the shards that its batches go to."""
        return frozenset((self._shard,) if self._intent.intended_end is None else (self._shard, self._intent.shard))

    @property
    def held_bytes(self) -> int:
        """Bytes of the messages in memory."""
        return 0 if self._content is None else self._content.held_bytes

    @property
    def oldest_received_at(self) -> int | None:
        return None if self._content is None else self._content.oldest

    @property
    def open(self) -> bool:
        """Returns whether the buffer has messages."""
        return self._content is not None

    def arrived(self, position: LogPosition) -> LogPosition:
        """Notes the position of the next message, before it is decoded. Returns the position from which its record ids
        are made.

        If a later leader than that of the intended range wrote a message inside the range, Kafka has lost the messages
        of the range from there on. The range then ends before that message.

        Record ids in a range that a loader of an earlier release began have no leader epoch.
        """
        if self._intended_end is None or position.offset >= self._intended_end:
            return position
        epoch = self._intent.intended_epoch
        if epoch is None:
            return replace(position, leader_epoch=UNKNOWN_EPOCH)
        if position.leader_epoch > epoch:
            self._intended_end = None if self._content is None else position.offset
        return position

    def ends_before(self, position: LogPosition, message: DecodedMessage | DeadLetter) -> bool:
        """Returns whether the batch must be taken before this message can be added."""
        content = self._content
        if content is None:
            return False
        if self._intended_end is not None:
            return position.offset >= self._intended_end
        if isinstance(message, DeadLetter):
            return False
        too_large = content.size + message.size > self._limits.size
        return too_large or content.parts_with(message) > self._limits.parts

    def add(self, position: LogPosition, message: DecodedMessage | DeadLetter) -> None:
        """Adds the next message.

        Raises Internal for an offset that was added before. The topic was then deleted and created again, or Kafka has
        lost messages. A loader that starts again continues at the right message.
        """
        offset = position.offset
        if self._next is not None and offset < self._next:
            raise Internal(f"partition {self.partition} went back from offset {self._next} to {offset}")
        if self._content is None:
            self._start_at(position)
            self._content = _Content()
        self._next, self._end_epoch = offset + 1, position.leader_epoch
        if isinstance(message, DeadLetter):
            self._content.dead.append(message)
            self._content.size += len(message.value or b"")
            self._content.held_bytes += len(message.value or b"")
        else:
            self._content.add(message)

    def ended(self, offset: int) -> None:
        """Notes that no further message is before `offset`, the end of the partition. The offsets between the last
        message and the end are those of transaction markers, or of messages that are never delivered. The open batch,
        or a new one without messages, includes them, so that the committed offset reaches the end.
        """
        first = self._start if self._next is None or self._start is None else max(self._start, self._next)
        end = offset if self._intended_end is None else self._intended_end
        if first is None or not first < end <= offset or self._end_epoch == UNKNOWN_EPOCH:
            return
        if self._content is None:
            self._content, self._since = _Content(), self._clock.monotonic()
        self._next = end

    def full(self) -> bool:
        """Returns whether the batch can take no further message."""
        if self._content is None or self._next is None:
            return False
        if self._intended_end is not None:
            return self._next >= self._intended_end
        return self._content.rows >= self._limits.rows or self._content.size >= self._limits.size

    def due(self) -> bool:
        """Returns whether the batch should be taken now, because it is full or old enough."""
        if self._content is None or self._intended_end is not None:
            return self.full()
        return self.full() or self._clock.monotonic() - self._since >= self._limits.seconds * self._content.wait_factor

    def take(self) -> Batch:
        """Returns the batch. The next batch starts where it ends."""
        content = self._content
        if content is None or self._next is None or self._start is None:
            raise Internal(f"partition {self.partition} has no batch to take")
        intended_end, intent = self._intended_end, self._intent
        end = LogPosition(intended_end or self._next, self._end_epoch)
        batch = Batch(
            OffsetRange(self.partition, self._start, end.offset, end.leader_epoch),
            content.lanes,
            content.dead,
            content.usage,
            content.held_bytes,
            content.oldest,
            self._shard,
            end=end,
            start_epoch=self._start_epoch,
        )
        self._start, self._start_epoch, self._intended_end, self._content = end.offset, end.leader_epoch, None, None
        if intended_end is None or intent.intended_end is None:
            return batch
        # A token covers the whole range. If only its beginning is left, the table must be queried for stored rows.
        in_parts = frozenset(batch.lanes) if intended_end < intent.intended_end else frozenset()
        return replace(
            batch,
            offsets=replace(batch.offsets, end=intent.intended_end, leader_epoch=intent.intended_epoch),
            shard=intent.shard,
            inserted=intent.inserted,
            split=intent.split | in_parts - intent.inserted,
            repeated_since=self._assigned_at,
            views_counted=intent.views_counted,
        )

    def _start_at(self, position: LogPosition) -> None:
        """Opens a batch with its first message. It may come after the committed offset, because Kafka has deleted
        others, or before it, because Kafka has lost others and a later leader gave it an offset of these. Raises
        Internal for a message before the committed offset that no later leader wrote."""
        offset = position.offset
        if self._start is None or offset < self._start:
            if self._start is not None and position.leader_epoch <= self._start_epoch:
                raise Internal(f"partition {self.partition} went back from offset {self._start} to {offset}")
            self._start, self._start_epoch, self._intended_end = offset, position.leader_epoch, None
        elif self._intended_end is not None and offset >= self._intended_end:
            # Kafka has deleted the whole range of the intent, so nothing can be repeated.
            self._intended_end = None
        self._since = self._clock.monotonic()


def _end_of_range(position: ResumePosition) -> int | None:
    """Returns the offset at which an intended range ends: its end, or the first offset that Kafka has lost. Perhaps no
    message follows the lost ones to show that the rest of the range is complete. Returns None if there is no range, or
    if all of it is lost."""
    lost_from = position.lost_from
    if position.start is None or lost_from is None:
        return position.intended_end
    return lost_from if lost_from > position.start else None
