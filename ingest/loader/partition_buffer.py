"""Collects a partition's messages into batches."""

from dataclasses import dataclass, field, replace
from typing import Final

from ingest.committed.intent import OffsetRange, ResumePosition
from ingest.loader.batch import MESSAGE_BYTES, Batch, BatchLimits, DecodedMessage
from ingest.loader.repeated_range import RepeatedRange
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
        self._repeated = RepeatedRange.of(position)
        self._shard = shard
        self._shards = frozenset((shard,) if position.intended is None else (shard, position.intended.shard))
        self._limits = limits
        self._clock = clock
        self._next: int | None = None
        self._content: _Content | None = None
        self._since = 0.0

    @property
    def start(self) -> int | None:
        """First offset that is in no batch yet; None if nothing was ever committed or added."""
        return self._start

    @property
    def shards(self) -> frozenset[int]:
        """Numbers of the shards that its batches go to."""
        return self._shards

    @property
    def held_bytes(self) -> int:
        """Bytes of memory of the messages."""
        return 0 if self._content is None else self._content.held_bytes

    @property
    def oldest_received_at(self) -> int | None:
        return None if self._content is None else self._content.oldest

    @property
    def open(self) -> bool:
        """Returns whether the buffer has messages."""
        return self._content is not None

    @property
    def repeats(self) -> bool:
        """Returns whether the buffer has messages of an earlier owner's range."""
        return self._content is not None and self._repeated is not None

    def arrived(self, position: LogPosition) -> LogPosition:
        """Notes the position of the next message, before it is decoded. Returns the position from which its record ids
        are made.

        If a later leader than that of the intended range wrote a message inside the range, Kafka has lost the messages
        of the range from there on. The range then ends before that message.

        Record ids in a range that a loader of an earlier release began have no leader epoch.
        """
        repeated = self._repeated
        if repeated is None or position.offset >= repeated.end:
            return position
        if repeated.was_lost_before(position):
            self._repeated = None if self._content is None else replace(repeated, end=position.offset)
        return repeated.coordinates(position)

    def ends_before(self, position: LogPosition, message: DecodedMessage | DeadLetter) -> bool:
        """Returns whether the batch must be taken before this message can be added."""
        content = self._content
        if content is None:
            return False
        if self._repeated is not None:
            return position.offset >= self._repeated.end
        if isinstance(message, DeadLetter):
            return False
        if content.size + message.size > self._limits.size:
            return True
        # A message that adds no part costs little, also if the batch has more parts than the limit, as one message may.
        present = len(content.parts.get(message.lane, ()))
        return content.parts_with(message) > max(self._limits.parts, present)

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
            self._content.held_bytes += len(message.value or b"") + MESSAGE_BYTES
        else:
            self._content.add(message)

    def ended(self, offset: int) -> None:
        """Notes that no further message is before `offset`, the end of the partition. The offsets between the last
        message and the end are those of transaction markers, or of messages that are never delivered. The open batch,
        or a new one without messages, includes them, so that the committed offset reaches the end.
        """
        first = self._start if self._next is None or self._start is None else max(self._start, self._next)
        end = offset if self._repeated is None else self._repeated.end
        if first is None or not first < end <= offset or self._end_epoch == UNKNOWN_EPOCH:
            return
        if self._content is None:
            self._content, self._since = _Content(), self._clock.monotonic()
        self._next = end

    def full(self) -> bool:
        """Returns whether the batch can take no further message."""
        if self._content is None or self._next is None:
            return False
        if self._repeated is not None:
            return self._next >= self._repeated.end
        return self._content.rows >= self._limits.rows or self._content.size >= self._limits.size

    def due(self) -> bool:
        """Returns whether the batch should be taken now, because it is full or old enough."""
        if self._content is None or self._repeated is not None:
            return self.full()
        return self.full() or self._clock.monotonic() - self._since >= self._limits.seconds * self._content.wait_factor

    def take(self) -> Batch:
        """Returns the batch. The next batch starts where it ends."""
        content = self._content
        if content is None or self._next is None or self._start is None:
            raise Internal(f"partition {self.partition} has no batch to take")
        repeated = self._repeated
        end = LogPosition(self._next if repeated is None else repeated.end, self._end_epoch)
        if repeated is None:
            intended, shard = None, self._shard
            offsets = OffsetRange(self.partition, self._start, end.offset, end.leader_epoch)
        else:
            intended = repeated.with_stored(frozenset(content.lanes))
            shard = intended.shard
            offsets = OffsetRange(self.partition, self._start, intended.end, intended.leader_epoch)
        batch = Batch(
            offsets,
            content.lanes,
            content.dead,
            content.usage,
            content.held_bytes,
            content.oldest,
            shard,
            end,
            self._start_epoch,
            intended,
        )
        self._start, self._start_epoch, self._repeated, self._content = end.offset, end.leader_epoch, None, None
        return batch

    def _start_at(self, position: LogPosition) -> None:
        """Opens a batch with its first message. It may come after the committed offset, because Kafka has deleted
        others, or before it, because Kafka has lost others and a later leader gave it an offset of these. Raises
        Internal for a message before the committed offset that no later leader wrote."""
        offset = position.offset
        if self._start is None or offset < self._start:
            if self._start is not None and position.leader_epoch <= self._start_epoch:
                raise Internal(f"partition {self.partition} went back from offset {self._start} to {offset}")
            self._start, self._start_epoch, self._repeated = offset, position.leader_epoch, None
        elif self._repeated is not None and offset >= self._repeated.end:
            # Kafka has deleted the whole range of the intent, so nothing can be repeated.
            self._repeated = None
        self._since = self._clock.monotonic()
