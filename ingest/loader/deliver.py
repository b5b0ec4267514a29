"""The steps that make delivery exactly once: intent, dead letters, inserts of rows and counts, commit.

These pages of docs/decisions have the reasons why the steps suffice: 0002-rows-are-a-function-of-the-message.md,
0007-what-clickhouse-remembers.md, 0018-what-an-insert-may-cost.md and 0034-the-loader-counts-fields.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

import structlog

from ingest.committed.intent import done
from ingest.loader.backoff import delays
from ingest.loader.batch import Batch
from ingest.loader.claim import Claim
from ingest.loader.decode import usage_of
from ingest.loader.dependencies import Dependencies
from ingest.loader.insert_errors import TooExpensive, before_insert
from ingest.loader.lane_parts import LaneParts
from ingest.loader.progress import WRITE_SECONDS, Progress
from ingest.loader.side_by_side import side_by_side
from ingest.loader.slots import Slots
from ingest.loader.split import Splitter
from ingest.loader.token_tries import COUNTS_SECONDS, ROWS_SECONDS, TokenMayBeForgotten, TokenTries
from ingest.loader.topic_watch import topic_created_again
from kit import metrics
from kit.clock import Clock
from kit.errors import LogsieveError, RetryableError
from schema.coordinates import LogPosition, TopicId
from schema.otlp import LogMessage, field_counts
from schema.usage import Usage

log = structlog.get_logger()

SERVER_LIMIT_TRIES: Final = 5
"""Number of tries of an insert that end at a limit of the whole server. Then the insert is split, because a smaller
one may find room. Tries that fail for another reason do not count."""

COUNTS_TRIES: Final = 3
"""Number of tries of an insert of counts that ends at its own limit. Then the fields of these rows stay uncounted."""

R = TypeVar("R")


class Deliverer:
    """Delivers batches to ClickHouse and commits their offsets to Kafka. Retries as long as this loader owns the
    partition.

    Used by several threads, one per partition.
    """

    def __init__(self, dependencies: Dependencies, clock: Clock) -> None:
        self._dependencies = dependencies
        self._clock = clock
        self._slots = Slots(clock)

    def deliver(self, batch: Batch, topic: TopicId, claim: Claim) -> None:
        """Returns when the batch is in ClickHouse and committed.

        Raises Abandoned if the claim ended before. Raises Internal if the topic no longer has the id `topic`; then no
        message of the batch was stored, unless it was of the old topic.
        """
        delivery = _Delivery(self._dependencies, self._clock, self._slots, batch, topic, claim)
        try:
            delivery.run()
        finally:
            self._dependencies.report(batch.offsets.partition, None)


@dataclass(frozen=True, slots=True)
class _Delivery:
    """The delivery of one batch."""

    dependencies: Dependencies
    clock: Clock
    slots: Slots
    batch: Batch
    topic: TopicId
    claim: Claim
    given_up: dict[int, LogMessage] = field(default_factory=dict)
    """Messages that became dead letters because of their cost, by the id of their first record."""

    def run(self) -> None:
        batch, offsets, dependencies = self.batch, self.batch.offsets, self.dependencies
        self._check_topic()
        progress = Progress(batch, self._write)
        progress.write()
        tenants = frozenset(key.tenant_id for key in batch.usage.counts)
        self._persist(partial(dependencies.tenant_shards.record, batch.shard, tenants))
        if batch.dead:
            self._persist(partial(dependencies.dead_letters.write, batch.dead))
        lanes = sorted(batch.lanes.keys() - batch.inserted)
        if lanes:
            steps = [partial(self._load_lane, lane, progress) for lane in lanes]
            side_by_side(f"deliver-{offsets.partition}", steps, progress.late, WRITE_SECONDS)
        # Usage leaves out dead letters, because they count when they are replayed. Its token is that of the whole
        # range. So ClickHouse keeps the usage that was inserted first, even if the next owner of the partition makes
        # dead letters of other messages.
        usage = batch.usage.without(usage_of(self.given_up.values()))
        if usage.counts:
            self._persist(partial(self._insert_usage, usage, progress))
        self._commit(batch.end, done(self.topic))

    def _check_topic(self) -> None:
        """Raises Internal if the topic was created again.

        Kafka's client continues in the new topic without an error if the loader's offset exists there. This loader
        would store the messages under the old topic's id, and the next loader again under the new one's.
        """
        if self._persist(self.dependencies.read_topic_id) != self.topic:
            raise topic_created_again()

    def _load_lane(self, lane: int, progress: Progress) -> None:
        """Inserts the lane's rows, except those of messages that ClickHouse cannot insert even alone. Then inserts the
        counts of their fields."""
        if lane in self.batch.split:
            counts = self._load_in_parts(lane, all_answered=False)
        else:
            counts = self._load_whole(lane, progress)
        if counts and not self.batch.views_counted:
            self._insert_counts(lane, counts, progress)
        # The next owner of the partition must learn which messages usage leaves out, so it loads such a lane again.
        if all(each.first_record_id not in self.given_up for each in self.batch.lanes[lane]):
            progress.inserted(lane)

    def _load_whole(self, lane: int, progress: Progress) -> bytes:
        """Inserts the lane's rows together, or in parts if they cost too much or their token may be forgotten. Returns
        the counts of the stored rows."""
        batch = self.batch
        tries = TokenTries(self.clock, ROWS_SECONDS, self._repeated_since)
        check = partial(self._check_before_sending, tries)
        insert = partial(self.dependencies.sink.insert, batch.shard, lane, batch.lanes[lane], self._token(lane), check)
        earlier_failures = at_server_limit = 0
        for delay in delays():
            try:
                return self._in_slot(lane, partial(tries.run, insert))
            except TokenMayBeForgotten as error:
                self._note(error)
                break
            except LogsieveError as error:
                self._note(error)
                if isinstance(error, TooExpensive):
                    at_server_limit += not error.own
                    if error.own or at_server_limit == SERVER_LIMIT_TRIES:
                        self._warn_of_split(lane)
                        break
            if tries.may_be_stored:
                # The next owner cannot know when the first try was, so it must query the table for the rows.
                progress.split(lane)
            progress.late()
            earlier_failures += 1
            self.claim.wait(delay)
        progress.split(lane)
        return self._load_in_parts(lane, all_answered=not earlier_failures and batch.repeated is None)

    def _warn_of_split(self, lane: int) -> None:
        messages = len(self.batch.lanes[lane])
        log.warning(
            "insert is split because it costs too much",
            partition=self.batch.offsets.partition,
            lane=lane,
            messages=messages,
        )
        if messages > 1:
            metrics.counter(metrics.LOADER_SPLITS).add(1, {"lane": str(lane)})

    def _load_in_parts(self, lane: int, all_answered: bool) -> bytes:
        """Inserts the lane's rows in parts. Returns the counts of all messages that did not become dead letters."""
        messages = self.batch.lanes[lane]
        in_slot = partial(self._in_slot, lane)
        parts = LaneParts(
            self.dependencies.sink, self.batch.shard, lane, self._token(lane), in_slot, self._check_before_sending
        )
        Splitter(lane, parts, self._persist, self._give_up, self.claim.wait, self._note).load(messages, all_answered)
        return field_counts(each for each in messages if each.first_record_id not in self.given_up)

    def _insert_counts(self, lane: int, counts: bytes, progress: Progress) -> None:
        """Inserts the counts. Gives up if they cost too much, or if ClickHouse may have them and no longer recognise
        them; no record is lost by that."""
        offsets, expensive = self.batch.offsets, 0
        token = offsets.counts_token(self.topic, lane)
        tries = TokenTries(self.clock, COUNTS_SECONDS, self._repeated_since)
        check = partial(self._check_before_sending, tries)
        insert = partial(self.dependencies.sink.insert_counts, self.batch.shard, lane, counts, token, check)
        for delay in delays():
            try:
                self._in_slot(lane, partial(tries.run, insert))
            except LogsieveError as error:
                self._note(error)
                expensive += isinstance(error, TooExpensive) and error.own
                if expensive == COUNTS_TRIES or isinstance(error, TokenMayBeForgotten):
                    log.warning(
                        "fields are not counted",
                        partition=offsets.partition,
                        lane=lane,
                        start=offsets.start,
                        end=offsets.end,
                        reason=error.detail,
                    )
                    return
            else:
                return
            # ClickHouse may forget the token of the rows meanwhile, so the next owner must query the table for them.
            progress.split(lane)
            progress.late()
            self.claim.wait(delay)

    def _insert_usage(self, usage: Usage, progress: Progress) -> None:
        token = self.batch.offsets.usage_token(self.topic)
        try:
            self._in_slot(None, partial(self.dependencies.sink.insert_usage, self.batch.shard, usage, token))
        except LogsieveError:
            # Usage is repeated without a limit. ClickHouse may forget the tokens of the rows meanwhile.
            progress.late()
            raise

    def _give_up(self, message: LogMessage, reason: str) -> None:
        letter = self._persist(partial(self.dependencies.refused.letter, self.topic, message.coordinates, reason))
        self._check_topic()
        self._persist(partial(self.dependencies.dead_letters.write, [letter]))
        self.given_up[message.first_record_id] = message

    @property
    def _repeated_since(self) -> float | None:
        """Time since when this loader has had a range that an earlier owner may have inserted; None for other
        ranges."""
        return None if self.batch.repeated is None else self.claim.since

    def _token(self, lane: int) -> str:
        return self.batch.offsets.token(self.topic, lane)

    def _write(self, inserted: frozenset[int], split: frozenset[int]) -> None:
        batch, offsets = self.batch, self.batch.offsets
        self._commit(
            LogPosition(offsets.start, batch.start_epoch),
            offsets.intent(self.topic, batch.shard, inserted, split, batch.views_counted),
        )

    def _commit(self, position: LogPosition, metadata: str) -> None:
        commit = partial(
            self.dependencies.committer.commit, self.claim, self.batch.offsets.partition, position, metadata
        )
        self._persist(commit)

    def _in_slot(self, lane: int | None, step: Callable[[], R]) -> R:
        """Runs a step in a slot of the shard, and returns its result. If the claim ends meanwhile, the next owner of
        the partition may run the same step at the same time."""
        with self.slots.taken(self.batch.shard, lane, self.claim):
            return step()

    def _check_before_sending(self, tries: TokenTries | None = None) -> None:
        """Raises if an insert that is sent now could store rows twice. `tries` are those of an insert with a token.

        The next owner of the partition may insert the same rows without a token. It first ends all inserts that were
        sent before, so this loader must not send one later: docs/decisions/0018-what-an-insert-may-cost.md.
        """
        with before_insert():
            self.claim.check_polled()
        if tries is not None:
            tries.check()

    def _persist(self, step: Callable[[], R]) -> R:
        """Repeats the step until it succeeds, because no later step may come before it. Returns its result."""
        pauses = delays()
        while True:
            # The wait returns at once when the claim has ended.
            self.claim.check()
            try:
                return step()
            except LogsieveError as error:
                self._note(error)
            self.claim.wait(next(pauses))

    def _note(self, error: LogsieveError) -> None:
        """Reports and logs why the batch waits. Raises Abandoned if it no longer belongs to this loader, because nobody
        would withdraw the report."""
        self.claim.check()
        offsets = self.batch.offsets
        self.dependencies.report(offsets.partition, error.detail)
        reason = "unavailable" if isinstance(error, RetryableError) else "refused"
        metrics.counter(metrics.LOADER_RETRIES).add(1, {"reason": reason})
        log.warning(
            "batch is not delivered yet; it is tried again",
            partition=offsets.partition,
            start=offsets.start,
            end=offsets.end,
            reason=error.detail,
        )
