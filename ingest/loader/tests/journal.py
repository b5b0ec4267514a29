"""Fake of ClickHouse and Kafka for a delivery, which records every call."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ingest.committed.intent import IntendedRange, OffsetRange, done
from ingest.loader.batch import Batch
from ingest.loader.claim import Claim
from ingest.loader.deliver import Deliverer
from ingest.loader.dependencies import Dependencies
from ingest.loader.insert_errors import TooExpensive
from ingest.loader.lane_parts import BeforeSending, MissingRows
from ingest.loader.standstill import StandstillWatch
from ingest.loader.tests.rows import some_rows
from kit.clock import ManualClock
from schema.coordinates import Coordinates, LogPosition, TopicId
from schema.dead_letter import DeadLetter, Origin
from schema.otlp import LogMessage
from schema.usage import Usage

TOPIC = TopicId("0123456789abcdef" * 2)
OFFSETS = OffsetRange(partition=1, start=5, end=9, leader_epoch=4)
START = LogPosition(5, 3)
END = LogPosition(9, 4)
SHARD = 2

INTENT = ("commit", 1, START, OFFSETS.intent(TOPIC, SHARD))
DONE = ("commit", 1, END, done(TOPIC))


@dataclass
class Journal:
    """Records every call that writes. Fails a configured number of times, in each step or in one step."""

    failures: list[Exception] = field(default_factory=list)
    refused_lane: int | None = None
    parts_fail: bool = False
    counts: bytes = b""
    counts_failures: list[Exception] = field(default_factory=list)
    usage_failures: list[Exception] = field(default_factory=list)
    topic_ids: list[TopicId | Exception] = field(default_factory=list)
    record_failures: list[Exception] = field(default_factory=list)
    steps: list[tuple[object, ...]] = field(default_factory=list)
    problems: list[tuple[int, str | None]] = field(default_factory=list)
    counted: list[Usage] = field(default_factory=list)

    def topic_id(self) -> TopicId:
        answer = self.topic_ids.pop(0) if self.topic_ids else TOPIC
        if isinstance(answer, Exception):
            raise answer
        return answer

    def commit(self, claim: Claim, partition: int, position: LogPosition, metadata: str) -> None:
        claim.check()
        self._do("commit", partition, position, metadata)

    def insert(
        self, shard: int, lane: int, messages: Sequence[LogMessage], token: str, before_sending: BeforeSending
    ) -> bytes:
        before_sending()
        if lane == self.refused_lane:
            self.steps.append(("insert", lane, "refused"))
            raise self.failures.pop(0)
        self.steps.append(("insert", shard, lane, sum(map(len, messages)), token))
        if self.failures and self.refused_lane is None:
            raise self.failures.pop(0)
        return self.counts

    def insert_counts(self, shard: int, lane: int, counts: bytes, token: str, before_sending: BeforeSending) -> None:
        assert counts
        before_sending()
        self.steps.append(("counts", shard, lane, token))
        if self.counts_failures:
            raise self.counts_failures.pop(0)

    def insert_usage(self, shard: int, usage: Usage, token: str) -> None:
        self._do("usage", shard, len(usage.counts), token)
        if self.usage_failures:
            raise self.usage_failures.pop(0)
        self.counted.append(usage)

    def write(self, dead_letters: list[DeadLetter]) -> None:
        self._do("write", *(letter.origin.offset for letter in dead_letters))

    def insert_missing(
        self, shard: int, lane: int, missing: MissingRows, token: str, before_sending: BeforeSending
    ) -> None:
        before_sending()
        self.steps.append(("part", shard, lane, sum(map(len, missing.messages)), token, sorted(missing.without_days)))
        if self.parts_fail:
            raise TooExpensive("too much memory", own=True)

    def stored_days(self, shard: int, lane: int, messages: Sequence[LogMessage]) -> dict[int, frozenset[int]]:
        assert (shard, lane) == (SHARD, 0)
        return {each.first_record_id: frozenset() for each in messages}

    def stop(self, shard: int, token: str) -> float:
        self._do("stop", shard, token)
        return 30.0

    def check_stopped(self, shard: int, token: str, none_starts_after: float | None) -> None:
        self._do("stopped", shard, token, none_starts_after)

    def letter(self, topic: TopicId, coordinates: Coordinates, reason: str) -> DeadLetter:
        self.steps.append(("dead", coordinates.offset, reason))
        origin = Origin(topic.text, coordinates.partition, coordinates.offset)
        return DeadLetter(origin, "insert_limit", reason, None, [], b"!")

    def record(self, shard: int, tenants: Collection[int]) -> None:
        self.steps.append(("record", shard, sorted(tenants)))
        if self.record_failures:
            raise self.record_failures.pop(0)

    def report(self, partition: int, problem: str | None) -> None:
        self.problems.append((partition, problem))

    def _do(self, *step: object) -> None:
        self.steps.append(step)
        if self.failures and self.refused_lane is None:
            raise self.failures.pop(0)


class PatientClaim(Claim):
    """Records how long it should wait, and does not wait."""

    def __init__(self, ends_after: int | None = None) -> None:
        super().__init__(StandstillWatch(ManualClock()), ManualClock().monotonic())
        self.waited: list[float] = []
        self._ends_after = ends_after

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        if len(self.waited) == self._ends_after:
            self.release()


def batch(*lanes: int, dead: list[DeadLetter] | None = None, repeated: IntendedRange | None = None) -> Batch:
    rows = {lane: [some_rows(1)] for lane in lanes}
    return Batch(OFFSETS, rows, dead or [], Usage(), 1, None, SHARD, END, START.leader_epoch, repeated)


def earlier_owner(
    inserted: frozenset[int] = frozenset(), split: frozenset[int] = frozenset(), views_counted: bool = False
) -> IntendedRange:
    """Returns the range of `batch` as an earlier owner of the partition began it."""
    return IntendedRange(OFFSETS.end, OFFSETS.leader_epoch, SHARD, inserted, split, views_counted)


def insert(lane: int) -> tuple[object, ...]:
    return ("insert", SHARD, lane, 1, OFFSETS.token(TOPIC, lane))


def deliver(journal: Journal, of: Batch, claim: Claim | None = None) -> None:
    dependencies = Dependencies(journal, journal, journal, journal, journal.report, journal.topic_id)
    Deliverer(dependencies, ManualClock()).deliver(of, TOPIC, claim or PatientClaim())


def deliver_to_one_of_several_shards(journal: Journal, of: Batch, claim: Claim | None = None) -> None:
    """Delivers as a loader with several shards, which records the shards of tenants."""
    dependencies = Dependencies(journal, journal, journal, journal, journal.report, journal.topic_id, journal)
    Deliverer(dependencies, ManualClock()).deliver(of, TOPIC, claim or PatientClaim())
