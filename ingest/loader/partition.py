"""State of one partition in the loader: messages, the open batch, and the batch being delivered."""

import threading
from collections import deque
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass, field

from confluent_kafka import Message

from ingest.loader.batch import MESSAGE_BYTES, Batch, DecodedMessage
from ingest.loader.claim import Claim
from ingest.loader.deliver import Deliverer
from ingest.loader.partition_buffer import PartitionBuffer
from schema.coordinates import LogPosition, TopicId
from schema.dead_letter import DeadLetter

INBOX_BYTES = 16 * 2**20
"""Bytes of memory of the undecoded messages that a full partition may hold before it is paused. Pausing discards
fetched messages, so it does not happen earlier."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """The delivery of a batch, which runs in its own thread."""

    batch: Batch
    outcome: "Future[None]"


@dataclass(slots=True)
class OwnedPartition:
    """One assignment of a partition. At most one batch is being delivered, so no later batch can be stored first."""

    claim: Claim
    buffer: PartitionBuffer
    inbox: deque[Message] = field(default_factory=deque)
    inbox_bytes: int = 0
    end: int | None = None
    """End of the partition, as of the last time when all messages before it had arrived; None before that."""
    next: tuple[LogPosition, DecodedMessage | DeadLetter] | None = None
    """The next message, decoded, with its position. It belongs to the next batch."""
    delivery: Delivery | None = None

    @property
    def number(self) -> int:
        return self.buffer.partition

    def receive(self, message: Message) -> None:
        """Takes a message, or the event that shows the end of the partition."""
        if message.error() is not None:
            self.end = message.offset()
            return
        self.inbox.append(message)
        self.inbox_bytes += _held_bytes(message)

    def take_message(self) -> Message:
        message = self.inbox.popleft()
        self.inbox_bytes -= _held_bytes(message)
        return message

    @property
    def blocked(self) -> bool:
        """Returns whether no message may be added before the batch being delivered is stored."""
        return self.delivery is not None and (self.next is not None or self.buffer.full())

    @property
    def held_bytes(self) -> int:
        """Bytes of memory of the messages, decoded or not. Rows are in memory only while they are inserted."""
        delivered = 0 if self.delivery is None else self.delivery.batch.held_bytes
        waiting = 0 if self.next is None or isinstance(self.next[1], DeadLetter) else self.next[1].held_bytes
        return self.inbox_bytes + self.buffer.held_bytes + delivered + waiting

    @property
    def oldest_received_at(self) -> int | None:
        """Arrival of the oldest decoded message that is not inserted, in nanoseconds since the Unix epoch; None without
        one."""
        if self.delivery is not None and self.delivery.batch.oldest_received_at is not None:
            return self.delivery.batch.oldest_received_at
        return self.buffer.oldest_received_at

    @property
    def position(self) -> int | None:
        """First offset that is not inserted; None if it is not known yet."""
        return self.buffer.start if self.delivery is None else self.delivery.batch.offsets.start

    def start_delivery(self, deliverer: Deliverer, topic: TopicId) -> None:
        """Starts delivering the open batch."""
        batch, outcome = self.buffer.take(), Future[None]()

        def deliver() -> None:
            try:
                deliverer.deliver(batch, topic, self.claim)
            except BaseException as error:  # passed on to the loader's own thread
                outcome.set_exception(error)
            else:
                outcome.set_result(None)

        self.delivery = Delivery(batch, outcome)
        # A daemon thread, because a hanging insert must not keep a loader from ending.
        threading.Thread(target=deliver, name=f"deliver-{self.number}", daemon=True).start()


def continuing(partitions: Collection[OwnedPartition]) -> set[int]:
    """Returns the numbers of the partitions that take messages although all partitions together hold too many bytes.

    One partition whose open batch can still be completed always continues. Otherwise none of several half-read batches
    would ever be completed. So does one that has messages to take.

    Each partition whose open batch repeats a range continues until this batch is complete. Only further messages
    complete it, and the other partitions may wait for messages whose Kafka leader is down.
    """
    free = [each for each in partitions if not each.blocked]
    started = [each.number for each in free if each.buffer.open]
    if not started:
        return {each.number for each in free}
    supplied = [each.number for each in free if each.inbox or each.next is not None]
    repeating = [each.number for each in free if each.buffer.repeats]
    return {min(started), *sorted(supplied)[:1], *repeating}


def _held_bytes(message: Message) -> int:
    return len(message.value() or b"") + MESSAGE_BYTES
