"""The three steps that make delivery exactly once: promise, insert, commit (design, section 5)."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

import structlog

from ingest.loader.backoff import delays
from ingest.loader.batch import Batch
from ingest.loader.intent import OffsetRange
from kit import metrics
from kit.errors import LogsieveError, RetryableError
from schema.coordinates import TopicId
from schema.log_columns import LogColumns

log = structlog.get_logger()


class Committer(Protocol):
    """The part of ingest.loader.consume.TopicConsumer that delivery needs."""

    @property
    def topic(self) -> TopicId: ...

    def commit(self, partition: int, offset: int, metadata: str) -> None: ...


class Sink(Protocol):
    """The part of ingest.loader.insert.Inserter that delivery needs."""

    def insert(self, lane: int, columns: LogColumns, token: str) -> None: ...


class Abandoned(Exception):
    """The batch is no longer ours to deliver. Its intent is in Kafka, and the next owner repeats it."""


class Deliverer:
    """Takes batches to ClickHouse and their offsets to Kafka, trying again for as long as they are ours.

    `wait` lets some seconds pass and keeps the group membership alive meanwhile. `report` hears why a batch waits,
    and None when it waits no more.
    """

    def __init__(
        self,
        committer: Committer,
        sink: Sink,
        wait: Callable[[float], None],
        report: Callable[[str | None], None],
    ) -> None:
        self._committer = committer
        self._sink = sink
        self._wait = wait
        self._report = report

    def deliver(self, batch: Batch, ours: Callable[[], bool]) -> None:
        """Returns when the batch is in ClickHouse and committed. Raises Abandoned when `ours` turned false before."""
        offsets = batch.offsets
        topic = self._committer.topic
        commit = partial(self._committer.commit, offsets.partition)
        self._persist(offsets, ours, partial(commit, offsets.start, offsets.intent(topic)))
        for lane, columns in sorted(batch.lanes.items()):
            self._persist(offsets, ours, partial(self._sink.insert, lane, columns, offsets.token(topic, lane)))
        self._persist(offsets, ours, partial(commit, offsets.end, ""))

    def _persist(self, offsets: OffsetRange, ours: Callable[[], bool], step: Callable[[], None]) -> None:
        """Does the step until it succeeds: nothing that comes later may overtake it."""
        for delay in delays():
            if not ours():
                self._report(None)
                raise Abandoned
            try:
                step()
            except LogsieveError as error:
                self._report(error.detail)
                reason = "unavailable" if isinstance(error, RetryableError) else "refused"
                metrics.counter(metrics.LOADER_RETRIES).add(1, {"reason": reason})
                log.warning(
                    "batch waits",
                    partition=offsets.partition,
                    start=offsets.start,
                    end=offsets.end,
                    reason=error.detail,
                    seconds=delay,
                )
                self._wait(delay)
            else:
                self._report(None)
                return
