"""The steps that make delivery exactly once: promise, dead letters, inserts, commit.

Why they suffice: docs/decisions/0002-rows-are-a-function-of-the-message.md and 0007-what-clickhouse-remembers.md.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import structlog

from ingest.loader.backoff import delays
from ingest.loader.batch import Batch
from ingest.loader.claim import Claim
from ingest.loader.intent import OffsetRange, done
from kit import metrics
from kit.errors import LogsieveError, RetryableError
from schema.coordinates import TopicId
from schema.dead_letter import DeadLetter
from schema.otlp import LogMessage
from schema.usage import Usage

log = structlog.get_logger()

AT_ONCE = 4
"""Inserts and dead letters under way at the same time, over all partitions of a shard: more would only share the
same server."""

Step = Callable[[], None]


class Committer(Protocol):
    """The part of ingest.loader.commits.CommitQueue that delivery needs."""

    def commit(self, claim: Claim, partition: int, offset: int, metadata: str) -> None: ...


class Sink(Protocol):
    """The part of ingest.loader.insert.Inserter that delivery needs."""

    def insert(self, shard: int, lane: int, messages: Sequence[LogMessage], token: str) -> None: ...

    def insert_usage(self, shard: int, usage: Usage, token: str) -> None: ...


class Graveyard(Protocol):
    """The part of ingest.loader.bury.Undertaker that delivery needs."""

    def bury(self, letters: list[DeadLetter]) -> None: ...


Report = Callable[[int, str | None], None]
"""Hears by partition why its batch waits, and None when it waits no more."""


class Deliverer:
    """Takes batches to ClickHouse and their offsets to Kafka, trying again for as long as they are ours.

    Used by several threads at once, one a partition.
    """

    def __init__(self, committer: Committer, sink: Sink, graveyard: Graveyard, report: Report) -> None:
        self._committer = committer
        self._sink = sink
        self._graveyard = graveyard
        self._report = report
        # Each shard has its own, so that one that hangs holds nobody else's.
        self._slots: defaultdict[int, threading.BoundedSemaphore] = defaultdict(
            partial(threading.BoundedSemaphore, AT_ONCE)
        )

    def deliver(self, batch: Batch, topic: TopicId, claim: Claim) -> None:
        """Returns when the batch is in ClickHouse and committed. Raises Abandoned when the claim ended before."""
        offsets = batch.offsets
        try:
            self._commit(offsets, claim, offsets.start, offsets.intent(topic, batch.shard, batch.inserted))
            if batch.dead:
                self._persist_outside(batch, claim, partial(self._graveyard.bury, batch.dead))
            self._insert_lanes(batch, topic, claim)
            if batch.usage.counts:
                insert = partial(self._sink.insert_usage, batch.shard, batch.usage, offsets.usage_token(topic))
                self._persist_outside(batch, claim, insert)
            self._commit(offsets, claim, offsets.end, done(topic))
        finally:
            self._report(offsets.partition, None)

    def _insert_lanes(self, batch: Batch, topic: TopicId, claim: Claim) -> None:
        """Lanes do not wait for each other: one that is refused keeps only its own rows back.

        What is in is written down before waiting, because the other partitions go on meanwhile and their inserts may
        make ClickHouse forget this range's tokens.
        """
        offsets = batch.offsets
        waiting = sorted(batch.lanes.keys() - batch.inserted)
        for delay in delays():
            failed = [lane for lane in waiting if not self._try_lane(batch, lane, topic, claim)]
            if not failed:
                return
            if len(failed) < len(waiting):
                inserted = frozenset(batch.lanes.keys() | batch.inserted).difference(failed)
                self._commit(offsets, claim, offsets.start, offsets.intent(topic, batch.shard, inserted))
            waiting = failed
            claim.wait(delay)

    def _try_lane(self, batch: Batch, lane: int, topic: TopicId, claim: Claim) -> bool:
        insert = partial(self._sink.insert, batch.shard, lane, batch.lanes[lane], batch.offsets.token(topic, lane))
        return self._try(batch.offsets, partial(self._outside, batch.shard, claim, insert))

    def _commit(self, offsets: OffsetRange, claim: Claim, offset: int, metadata: str) -> None:
        self._persist(offsets, claim, partial(self._committer.commit, claim, offsets.partition, offset, metadata))

    def _persist_outside(self, batch: Batch, claim: Claim, step: Step) -> None:
        self._persist(batch.offsets, claim, partial(self._outside, batch.shard, claim, step))

    def _outside(self, shard: int, claim: Claim, step: Step) -> None:
        """A step that may be done twice, by us and by the next owner: it needs no lock against losing the claim."""
        with self._slots[shard]:
            claim.check()
            step()

    def _persist(self, offsets: OffsetRange, claim: Claim, step: Step) -> None:
        """Does the step until it succeeds: nothing that comes later may overtake it."""
        for delay in delays():
            if self._try(offsets, step):
                return
            claim.wait(delay)

    def _try(self, offsets: OffsetRange, step: Step) -> bool:
        """Whether it succeeded. Raises Abandoned."""
        try:
            step()
        except LogsieveError as error:
            self._report(offsets.partition, error.detail)
            reason = "unavailable" if isinstance(error, RetryableError) else "refused"
            metrics.counter(metrics.LOADER_RETRIES).add(1, {"reason": reason})
            log.warning(
                "batch waits", partition=offsets.partition, start=offsets.start, end=offsets.end, reason=error.detail
            )
            return False
        return True
