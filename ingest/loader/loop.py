"""The loader's loop: messages in, batches out, one thread."""

from collections import deque

import structlog
from confluent_kafka import Message

from ingest.loader.batch import Limits, PartitionBuffer
from ingest.loader.consume import Assignment, TopicConsumer
from ingest.loader.decode import decode_or_skip
from ingest.loader.deliver import Abandoned, Deliverer
from ingest.loader.insert import Inserter
from ingest.loader.state import LoaderState
from kit import metrics
from kit.clock import Clock
from kit.settings import Settings
from schema.coordinates import Coordinates

log = structlog.get_logger()

POLL_SECONDS = 0.05
"""How late a batch may be noticed to be old enough, and a stop to be asked for."""


class Loader:
    """Owns the partitions Kafka gives this process and moves their messages into ClickHouse until it is to stop."""

    def __init__(self, settings: Settings, clock: Clock, state: LoaderState) -> None:
        self._clock = clock
        self._limits = Limits(settings.loader_batch_rows, settings.loader_batch_bytes, settings.loader_batch_seconds)
        self._buffers: dict[int, PartitionBuffer] = {}
        self._inbox: deque[Message] = deque()
        self._stopping = state.stopping
        self._inserter = Inserter(settings)
        self._consumer = TopicConsumer(settings, self._assigned, self._revoked, self._stopping)
        self._deliverer = Deliverer(self._consumer, self._inserter, self._wait, state.report)

    def run(self) -> None:
        """Returns after `state.stopping` is set. Open batches are dropped then: their messages are still in Kafka.

        Raises Internal when Kafka ended this consumer; starting again is then right.
        """
        try:
            while not self._stopping.is_set():
                self._inbox.extend(self._consumer.poll(POLL_SECONDS))
                while self._inbox and not self._stopping.is_set():
                    self._take(self._inbox.popleft())
                for buffer in list(self._buffers.values()):
                    if buffer.due():
                        self._deliver(buffer)
        finally:
            self._consumer.close()
            self._inserter.close()

    def _take(self, message: Message) -> None:
        partition, offset = message.partition(), message.offset()
        if partition is None or offset is None:
            return
        buffer = self._buffers.get(partition)
        if buffer is not None and buffer.complete_before(offset):
            self._deliver(buffer)
            buffer = self._buffers.get(partition)
        if buffer is None:
            return
        coordinates = Coordinates(self._consumer.topic.epoch, partition, offset)
        buffer.add(offset, decode_or_skip(message, coordinates))
        if buffer.due():
            self._deliver(buffer)

    def _deliver(self, buffer: PartitionBuffer) -> None:
        batch = buffer.take()
        try:
            self._deliverer.deliver(batch, lambda: self._owns(buffer))
        except Abandoned:
            log.info("batch abandoned", partition=buffer.partition, start=batch.offsets.start, end=batch.offsets.end)
            return
        if batch.oldest_received_at is not None:
            age = (self._clock.now_ns() - batch.oldest_received_at) / 1e9
            metrics.histogram(metrics.LOADER_FRESHNESS).record(max(age, 0.0))
        lag = self._consumer.lag(buffer.partition, batch.offsets.end)
        if lag is not None:
            metrics.gauge(metrics.LOADER_LAG).set(lag, {"partition": str(buffer.partition)})

    def _wait(self, seconds: float) -> None:
        """Lets time pass while a batch waits. Messages of partitions that came meanwhile are kept for later."""
        deadline = self._clock.monotonic() + seconds
        while not self._stopping.is_set() and self._clock.monotonic() < deadline:
            self._consumer.pause()
            self._inbox.extend(self._consumer.poll(POLL_SECONDS))
        self._consumer.resume()

    def _owns(self, buffer: PartitionBuffer) -> bool:
        """Whether a batch of the buffer is still ours; a partition that went and came back has another buffer."""
        return self._buffers.get(buffer.partition) is buffer and not self._stopping.is_set()

    def _assigned(self, assignment: Assignment) -> None:
        self._buffers[assignment.partition] = PartitionBuffer(
            assignment.partition, assignment.start, assignment.promised_end, self._limits, self._clock
        )

    def _revoked(self, partition: int) -> None:
        self._buffers.pop(partition, None)
        self._inbox = deque(message for message in self._inbox if message.partition() != partition)
        metrics.gauge(metrics.LOADER_LAG).set(0, {"partition": str(partition)})
