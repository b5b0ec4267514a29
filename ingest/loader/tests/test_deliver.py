import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from ingest.loader.batch import Batch
from ingest.loader.claim import Abandoned, Claim
from ingest.loader.deliver import Deliverer, Ends
from ingest.loader.insert_errors import TooExpensive
from ingest.loader.intent import OffsetRange, done
from ingest.loader.standstill import StandstillWatch
from ingest.loader.tests.rows import some_rows
from kit.clock import ManualClock
from kit.errors import Internal, Unavailable
from schema.coordinates import TopicId
from schema.dead_letter import DeadLetter, Origin
from schema.otlp import LogMessage
from schema.usage import Usage, UsageCount, UsageKey

TOPIC = TopicId("0123456789abcdef" * 2)
OFFSETS = OffsetRange(partition=1, start=5, end=9)
SHARD = 2
LETTER = DeadLetter(Origin(TOPIC.text, 1, 6), "not_otlp", "why", None, [], b"?")

INTENT = ("commit", 1, 5, OFFSETS.intent(TOPIC, SHARD))
DONE = ("commit", 1, 9, done(TOPIC))


@dataclass
class Journal:
    """Kafka and ClickHouse in one: writes down what is asked, and fails as often as told, for each step or for one."""

    failures: list[Exception] = field(default_factory=list)
    refused_lane: int | None = None
    parts_fail: bool = False
    counts: bytes = b""
    counts_failures: list[Exception] = field(default_factory=list)
    steps: list[tuple[object, ...]] = field(default_factory=list)
    problems: list[tuple[int, str | None]] = field(default_factory=list)

    def commit(self, claim: Claim, partition: int, offset: int, metadata: str) -> None:
        claim.check()
        self._do("commit", partition, offset, metadata)

    def insert(self, shard: int, lane: int, messages: Sequence[LogMessage], token: str) -> bytes:
        if lane == self.refused_lane:
            self.steps.append(("insert", lane, "refused"))
            raise self.failures.pop(0)
        self.steps.append(("insert", shard, lane, sum(map(len, messages)), token))
        if self.failures and self.refused_lane is None:
            raise self.failures.pop(0)
        return self.counts

    def insert_counts(self, shard: int, lane: int, counts: bytes, token: str) -> None:
        assert counts
        self.steps.append(("counts", shard, lane, token))
        if self.counts_failures:
            raise self.counts_failures.pop(0)

    def insert_usage(self, shard: int, usage: Usage, token: str) -> None:
        self._do("usage", shard, len(usage.counts), token)

    def write(self, letters: list[DeadLetter]) -> None:
        self._do("write", *(letter.origin.offset for letter in letters))

    def insert_missing(
        self, shard: int, lane: int, messages: Sequence[LogMessage], token: str, without_days: frozenset[int]
    ) -> None:
        self.steps.append(("part", shard, lane, sum(map(len, messages)), token, sorted(without_days)))
        if self.parts_fail:
            raise TooExpensive("too much memory", own=True)

    def stored_days(self, shard: int, lane: int, messages: Sequence[LogMessage]) -> dict[int, frozenset[int]]:
        assert (shard, lane) == (SHARD, 0)
        return {each.first_record_id: frozenset() for each in messages}

    def stop(self, shard: int, token: str) -> float:
        self._do("stop", shard, token)
        return 30.0

    def check_stopped(self, shard: int, token: str, none_begins_after: float | None) -> None:
        self._do("stopped", shard, token, none_begins_after)

    def letter(self, topic: TopicId, partition: int, offset: int, reason: str) -> DeadLetter:
        self.steps.append(("dead", offset, reason))
        return DeadLetter(Origin(topic.text, partition, offset), "insert_limit", reason, None, [], b"!")

    def report(self, partition: int, problem: str | None) -> None:
        self.problems.append((partition, problem))

    def _do(self, *step: object) -> None:
        self.steps.append(step)
        if self.failures and self.refused_lane is None:
            raise self.failures.pop(0)


class PatientClaim(Claim):
    """Writes down how long it is to wait, and does not."""

    def __init__(self, ends_after: int | None = None) -> None:
        super().__init__(StandstillWatch(ManualClock()))
        self.waited: list[float] = []
        self._ends_after = ends_after

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        if len(self.waited) == self._ends_after:
            self.release()


def batch(*lanes: int, dead: list[DeadLetter] | None = None, inserted: frozenset[int] = frozenset()) -> Batch:
    return Batch(OFFSETS, {lane: [some_rows(1)] for lane in lanes}, dead or [], Usage(), 1, None, SHARD, inserted)


def insert(lane: int) -> tuple[object, ...]:
    return ("insert", SHARD, lane, 1, OFFSETS.token(TOPIC, lane))


def deliver(journal: Journal, of: Batch, claim: Claim | None = None) -> None:
    ends = Ends(journal, journal, journal, journal, journal.report)
    Deliverer(ends, ManualClock()).deliver(of, TOPIC, claim or PatientClaim())


def test_promise_then_lanes_then_commit() -> None:
    journal = Journal()
    deliver(journal, batch(3, 0))
    first, *lanes, last = journal.steps
    assert (first, sorted(lanes, key=str), last) == (INTENT, [insert(0), insert(3)], DONE)


def test_a_batch_without_rows_still_moves_the_offset() -> None:
    journal = Journal()
    deliver(journal, batch())
    assert journal.steps == [INTENT, DONE]


def test_usage_comes_after_the_rows_and_before_the_commit() -> None:
    journal = Journal()
    usage = Usage({UsageKey(1, 2, "accepted"): UsageCount(1, 1, 10)})
    deliver(journal, Batch(OFFSETS, {0: [some_rows(1)]}, [], usage, 1, None, SHARD))
    assert journal.steps == [INTENT, insert(0), ("usage", SHARD, 1, OFFSETS.usage_token(TOPIC)), DONE]


def test_dead_letters_are_confirmed_before_anything_is_committed() -> None:
    journal = Journal(failures=[Unavailable("nothing is wrong yet")])
    deliver(journal, batch(0, dead=[LETTER]))
    assert journal.steps == [INTENT, INTENT, ("write", 6), insert(0), DONE]


def test_a_dead_letter_that_kafka_does_not_take_holds_the_offset() -> None:
    journal, claim = Journal(), PatientClaim(ends_after=3)

    def refuse(letters: list[DeadLetter]) -> None:
        journal.steps.append(("write", len(letters)))
        raise Unavailable("a dead letter was not taken")

    journal.write = refuse  # type: ignore[method-assign]  # one more way to fail
    with pytest.raises(Abandoned):
        deliver(journal, batch(0, dead=[LETTER]), claim)
    assert journal.steps == [INTENT, ("write", 1), ("write", 1), ("write", 1)]


@pytest.mark.parametrize("error", [Unavailable("away"), Internal("refused")])
def test_each_step_is_repeated_until_it_succeeds(error: Exception) -> None:
    journal, claim = Journal(failures=[error] * 8), PatientClaim()
    deliver(journal, batch(0), claim)
    assert journal.steps == [INTENT] * 9 + [insert(0), DONE]
    assert claim.waited == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_a_refused_lane_does_not_hold_up_the_others_and_what_is_in_is_written_down() -> None:
    journal, taken = Journal(failures=[Internal("refused")] * 20_000, refused_lane=1), threading.Event()

    class Waiting(PatientClaim):
        def wait(self, seconds: float) -> None:
            assert len(journal.failures) > 1, "the other lanes are never inserted and written down"
            time.sleep(min(seconds, 0.001))
            if journal.steps[-2:] == [WITHOUT_1, REFUSED]:
                taken.set()
                self.release()

    with pytest.raises(Abandoned):
        deliver(journal, batch(0, 1, 2), Waiting())
    assert taken.is_set()
    assert DONE not in journal.steps


WITHOUT_1 = ("commit", 1, 5, OFFSETS.intent(TOPIC, SHARD, frozenset({0, 2})))
REFUSED = ("insert", 1, "refused")


def test_a_lane_that_hangs_does_not_hold_up_the_others() -> None:
    journal, others = Journal(), threading.Barrier(3)
    insert_one = journal.insert

    def hang(shard: int, lane: int, messages: Sequence[LogMessage], token: str) -> bytes:
        insert_one(shard, lane, messages, token)
        others.wait(timeout=60)  # of three lanes, each goes on only when all have begun
        return b""

    journal.insert = hang  # type: ignore[method-assign]  # one more way to take long
    deliver(journal, batch(0, 1, 2))
    assert journal.steps[-1] == DONE


def test_an_insert_that_costs_too_much_is_split_and_its_message_given_up() -> None:
    journal = Journal(failures=[TooExpensive("too much memory", own=True)] * 2, refused_lane=0, parts_fail=True)
    deliver(journal, batch(0))
    token = OFFSETS.token(TOPIC, 0)
    part: tuple[object, ...] = ("part", SHARD, 0, 1, token, [])
    stopped = ("stopped", SHARD, token, None)
    assert journal.steps == [
        INTENT,
        ("insert", 0, "refused"),
        ("commit", 1, 5, OFFSETS.intent(TOPIC, SHARD, frozenset(), frozenset({0}))),
        stopped,
        *[part, stopped, part, stopped],
        part,
        ("dead", 1, "too much memory, also alone, 3 times"),
        ("write", 1),
        stopped,
        ("commit", 1, 9, done(TOPIC)),
    ]


def test_a_limit_of_the_server_kills_no_message() -> None:
    journal, claim = Journal(), PatientClaim(ends_after=20)

    def refuse(*_arguments: object) -> None:
        raise TooExpensive("the server's memory", own=False)

    for name in ("insert", "insert_missing"):
        setattr(journal, name, refuse)
    with pytest.raises(Abandoned):
        deliver(journal, batch(0), claim)
    assert [step for step in journal.steps if step[0] in {"dead", "write"}] == []


def test_a_lane_that_an_earlier_owner_split_goes_on_in_parts_when_no_insert_can_begin() -> None:
    journal = Journal()
    deliver(journal, replace(batch(0), split=frozenset({0}), repeated=True))
    token = OFFSETS.token(TOPIC, 0)
    assert journal.steps == [
        ("commit", 1, 5, OFFSETS.intent(TOPIC, SHARD, frozenset(), frozenset({0}))),
        ("stop", SHARD, token),
        ("stopped", SHARD, token, 30.0),
        ("part", SHARD, 0, 1, token, []),
        DONE,
    ]


def test_lanes_that_an_earlier_owner_inserted_are_not_repeated() -> None:
    journal = Journal()
    deliver(journal, batch(0, 1, 2, inserted=frozenset({0, 2})))
    assert journal.steps == [
        ("commit", 1, 5, OFFSETS.intent(TOPIC, SHARD, frozenset({0, 2}))),
        insert(1),
        DONE,
    ]


def test_a_batch_that_is_no_longer_ours_is_left_to_the_next_owner() -> None:
    journal = Journal(failures=[Unavailable("away")])
    with pytest.raises(Abandoned):
        deliver(journal, batch(0), PatientClaim(ends_after=1))
    assert journal.steps == [INTENT]


def test_the_problem_can_be_seen_while_it_lasts() -> None:
    journal = Journal(failures=[Unavailable("the log store cannot be reached")])
    deliver(journal, batch())
    assert journal.problems == [(1, "the log store cannot be reached"), (1, None)]
