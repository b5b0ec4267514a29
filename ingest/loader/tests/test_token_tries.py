"""Tests how long an insert is repeated under its token, and what follows when ClickHouse may have forgotten it."""

from collections.abc import Callable, Sequence

import pytest

from ingest.loader.batch import Batch
from ingest.loader.claim import Claim
from ingest.loader.deliver import SERVER_LIMIT_TRIES, Deliverer
from ingest.loader.dependencies import Dependencies
from ingest.loader.insert_errors import NothingStored, TooExpensive
from ingest.loader.lane_parts import BeforeSending
from ingest.loader.standstill import StandstillWatch
from ingest.loader.tests.journal import (
    DONE,
    INTENT,
    OFFSETS,
    SHARD,
    START,
    TOPIC,
    Journal,
    PatientClaim,
    batch,
    earlier_owner,
    insert,
)
from ingest.loader.token_tries import COUNTS_SECONDS, ROWS_SECONDS, TokenMayBeForgotten, TokenTries
from kit.clock import ManualClock
from kit.errors import LogsieveError, Unavailable
from schema.otlp import LogMessage

SPLIT = ("commit", 1, START, OFFSETS.intent(TOPIC, SHARD, frozenset(), frozenset({0})))
TOKEN = OFFSETS.token(TOPIC, 0)
IN_PARTS: list[tuple[object, ...]] = [
    ("stop", SHARD, TOKEN),
    ("stopped", SHARD, TOKEN, 30.0),
    ("part", SHARD, 0, 1, TOKEN, []),
]
COUNTS = ("counts", SHARD, 0, OFFSETS.counts_token(TOPIC, 0))
LOST = Unavailable("no answer")


class WaitingClaim(Claim):
    """Claim whose waits advance the clock."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(StandstillWatch(ManualClock()), clock.monotonic())
        self._clock = clock

    def wait(self, seconds: float) -> None:
        self._clock.advance(seconds)


def deliver(journal: Journal, of: Batch, clock: ManualClock, claim: Claim | None = None) -> None:
    dependencies = Dependencies(journal, journal, journal, journal, journal.report, journal.topic_id)
    Deliverer(dependencies, clock).deliver(of, TOPIC, claim or WaitingClaim(clock))


def failing_for(seconds: float, clock: ManualClock, error: LogsieveError) -> Callable[[Journal], None]:
    """Makes inserts of rows of a journal fail until that time."""

    def change(journal: Journal) -> None:
        insert_once = journal.insert

        def fail(
            shard: int, lane: int, messages: Sequence[LogMessage], token: str, before_sending: BeforeSending
        ) -> bytes:
            counts = insert_once(shard, lane, messages, token, before_sending)
            if clock.monotonic() < seconds:
                raise error
            return counts

        journal.insert = fail  # type: ignore[method-assign]  # one more way to fail

    return change


def refuse(journal: Journal, failures: list[Unavailable]) -> None:
    """Makes the first inserts of rows of a journal fail."""
    insert_once, remaining = journal.insert, iter(failures)

    def fail(shard: int, lane: int, messages: Sequence[LogMessage], token: str, before_sending: BeforeSending) -> bytes:
        counts = insert_once(shard, lane, messages, token, before_sending)
        if error := next(remaining, None):
            raise error
        return counts

    journal.insert = fail  # type: ignore[method-assign]  # one more way to fail


def test_rows_whose_token_may_be_forgotten_are_compared_with_the_table() -> None:
    journal, clock = Journal(), ManualClock()
    failing_for(ROWS_SECONDS + 10, clock, LOST)(journal)
    deliver(journal, batch(0), clock)
    tries = journal.steps.count(insert(0))
    assert journal.steps == [INTENT, insert(0), SPLIT, *[insert(0)] * (tries - 1), *IN_PARTS, DONE]
    assert tries > 5


def test_rows_are_repeated_under_their_token_before_that() -> None:
    journal, clock = Journal(), ManualClock()
    failing_for(ROWS_SECONDS - 10, clock, LOST)(journal)
    deliver(journal, batch(0), clock)
    assert journal.steps[-2:] == [insert(0), DONE]


def test_a_server_that_receives_nothing_delays_no_later_insert() -> None:
    journal, clock = Journal(), ManualClock()
    failing_for(10 * ROWS_SECONDS, clock, NothingStored("the connection was refused"))(journal)
    deliver(journal, batch(0), clock)
    assert {step[0] for step in journal.steps} == {"commit", "insert"}
    assert SPLIT not in journal.steps


def test_a_range_of_an_earlier_owner_is_repeated_under_its_token_only_at_first() -> None:
    journal, clock = Journal(), ManualClock()
    claim = WaitingClaim(clock)
    clock.advance(ROWS_SECONDS + 1)
    deliver(journal, batch(0, repeated=earlier_owner()), clock, claim)
    assert journal.steps == [SPLIT, *IN_PARTS, DONE]


def test_only_tries_at_a_limit_of_the_server_lead_to_a_split() -> None:
    full = TooExpensive("the server's memory", own=False)
    for failures, is_split in (
        ([LOST] * 9 + [full] * (SERVER_LIMIT_TRIES - 1), False),
        ([LOST, full] * SERVER_LIMIT_TRIES, True),
    ):
        journal = Journal(failures=[])
        refuse(journal, failures)
        deliver(journal, batch(0), ManualClock(), PatientClaim())
        assert ("part" in {step[0] for step in journal.steps}) == is_split


def test_counts_whose_token_may_be_forgotten_are_left_out() -> None:
    clock = ManualClock()
    journal = Journal(counts=b"counts", counts_failures=[LOST] * 1_000)
    deliver(journal, batch(0), clock)
    assert journal.steps[-1] == DONE
    assert COUNTS_SECONDS - 5 < clock.monotonic() <= COUNTS_SECONDS + 5
    assert journal.steps.count(COUNTS) > 5


def test_the_wait_for_a_slot_counts() -> None:
    clock = ManualClock()
    tries = TokenTries(clock, ROWS_SECONDS, None)

    def hang() -> None:
        clock.advance(ROWS_SECONDS - 1)
        raise LOST

    with pytest.raises(Unavailable, match="no answer"):
        tries.run(hang)
    tries.run(lambda: None)
    clock.advance(2)
    with pytest.raises(TokenMayBeForgotten):
        tries.run(lambda: None)
