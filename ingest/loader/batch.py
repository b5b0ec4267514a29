"""When a partition's messages make a batch, and what is in it."""

from dataclasses import dataclass, field

from ingest.loader.intent import OffsetRange
from kit.clock import Clock
from kit.errors import Internal
from schema.log_columns import LogColumns


@dataclass(frozen=True, slots=True)
class DecodedMessage:
    """One message's rows, all of one lane. `size` is bytes of the Kafka message, `received_at` nanoseconds."""

    lane: int
    columns: LogColumns
    size: int
    received_at: int


@dataclass(frozen=True, slots=True)
class Limits:
    """A batch is due when it has one of them; age counts from its first message."""

    rows: int
    size: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows by lane of one offset range. Both follow from the range alone, so a repetition has the same."""

    offsets: OffsetRange
    lanes: dict[int, LogColumns]
    oldest_received_at: int | None


@dataclass(slots=True)
class PartitionBuffer:
    """Collects one partition's messages in order and hands them out as batches without a gap between them.

    `start` is the first offset in no batch yet (the committed one at first), None where nothing was ever committed.
    `promised_end` is set while an earlier
    owner's range must be repeated: the batch then ends there, whatever the limits say.
    """

    partition: int
    start: int | None
    promised_end: int | None
    limits: Limits
    clock: Clock
    _next: int | None = None
    _open: bool = False
    _lanes: dict[int, LogColumns] = field(default_factory=dict)
    _rows: int = 0
    _size: int = 0
    _since: float = 0.0
    _oldest: int | None = None

    def complete_before(self, offset: int) -> bool:
        """Whether the batch must be taken before the message at `offset` may be added."""
        return self._open and self.promised_end is not None and offset >= self.promised_end

    def add(self, offset: int, message: DecodedMessage | None) -> None:
        """Adds the next message; None stands for one that has no rows to give.

        Raises Internal on an offset that was seen before: the topic was replaced under us.
        """
        if self._next is not None and offset < self._next:
            raise Internal(f"partition {self.partition} went back from offset {self._next} to {offset}")
        if not self._open:
            self._begin(offset)
        self._next = offset + 1
        if message is None:
            return
        self._lanes.setdefault(message.lane, LogColumns()).extend(message.columns)
        self._rows += len(message.columns)
        self._size += message.size
        self._oldest = message.received_at if self._oldest is None else min(self._oldest, message.received_at)

    def due(self) -> bool:
        """Whether there is a batch to take now."""
        if not self._open or self._next is None:
            return False
        if self.promised_end is not None:
            return self._next >= self.promised_end
        return (
            self._rows >= self.limits.rows
            or self._size >= self.limits.size
            or self.clock.monotonic() - self._since >= self.limits.seconds
        )

    def take(self) -> Batch:
        """The batch; the next one starts where it ends."""
        if not self._open or self._next is None or self.start is None:
            raise Internal(f"partition {self.partition} has no batch to take")
        end = self._next if self.promised_end is None else self.promised_end
        batch = Batch(OffsetRange(self.partition, self.start, end), self._lanes, self._oldest)
        self.start, self.promised_end, self._open = end, None, False
        self._lanes, self._rows, self._size, self._oldest = {}, 0, 0, None
        return batch

    def _begin(self, offset: int) -> None:
        """Opens a batch with its first message. Kafka may have deleted what was committed, or have begun anew."""
        if self.start is None or offset < self.start:
            self.start, self.promised_end = offset, None
        elif self.promised_end is not None and offset >= self.promised_end:
            # All of the promised range is gone from Kafka: nothing can be repeated.
            self.promised_end = None
        self._open = True
        self._since = self.clock.monotonic()
