"""Tests when the counts of fields are inserted, repeated, abandoned and left out."""

import threading
import time
from dataclasses import replace

import pytest

from ingest.loader.claim import Abandoned
from ingest.loader.insert_errors import TooExpensive
from ingest.loader.lane_parts import BeforeSending
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
    deliver,
    earlier_owner,
    insert,
)
from ingest.loader.tests.rows import rows_on_days
from kit.errors import Unavailable


def counts(lane: int) -> tuple[object, ...]:
    return ("counts", SHARD, lane, OFFSETS.counts_token(TOPIC, lane))


COUNTED_SPLIT = ("commit", 1, START, OFFSETS.intent(TOPIC, SHARD, frozenset(), frozenset({0})))


def test_counts_come_after_their_rows_and_before_the_commit() -> None:
    journal = Journal(counts=b"counts")
    deliver(journal, batch(0))
    assert journal.steps == [INTENT, insert(0), counts(0), DONE]


def test_counts_that_fail_are_repeated_without_their_rows_and_the_next_owner_reads_those_from_the_table() -> None:
    journal = Journal(counts=b"counts", counts_failures=[Unavailable("unreachable")] * 2)
    deliver(journal, batch(0))
    assert journal.steps == [INTENT, insert(0), counts(0), COUNTED_SPLIT, counts(0), counts(0), DONE]


def test_counts_that_cost_too_much_are_given_up_and_no_message_is_dead() -> None:
    journal = Journal(counts=b"counts", counts_failures=[TooExpensive("too much memory", own=True)] * 3)
    deliver(journal, batch(0))
    assert journal.steps == [INTENT, insert(0), counts(0), COUNTED_SPLIT, counts(0), counts(0), DONE]


def test_counts_wait_for_a_server_that_has_no_memory_left() -> None:
    journal = Journal(counts=b"counts", counts_failures=[TooExpensive("the server's memory", own=False)] * 9)
    deliver(journal, batch(0))
    assert journal.steps == [INTENT, insert(0), counts(0), COUNTED_SPLIT, *[counts(0)] * 9, DONE]


def test_a_lane_is_in_only_with_its_counts() -> None:
    journal, taken = Journal(counts=b"counts"), threading.Event()
    insert_one = journal.insert_counts

    def refuse(shard: int, lane: int, counts: bytes, token: str, before_sending: BeforeSending) -> None:
        insert_one(shard, lane, counts, token, before_sending)
        if lane == 1:
            raise Unavailable("unreachable")

    journal.insert_counts = refuse  # type: ignore[method-assign]  # one more way to fail
    without_1 = ("commit", 1, START, OFFSETS.intent(TOPIC, SHARD, frozenset({0}), frozenset({1})))

    class Waiting(PatientClaim):
        def wait(self, seconds: float) -> None:
            time.sleep(seconds / 1000)
            if without_1 in journal.steps:
                taken.set()
                self.release()

    with pytest.raises(Abandoned):
        deliver(journal, batch(0, 1), Waiting())
    assert taken.is_set()
    assert DONE not in journal.steps


def test_messages_loaded_in_parts_are_counted_under_the_token_of_the_range() -> None:
    journal, message = Journal(), rows_on_days(1, {20_000})
    repeated = earlier_owner(split=frozenset({0}))
    split = replace(batch(0, repeated=repeated), lanes={0: [message]})
    deliver(journal, split)
    assert journal.steps[-3:] == [
        ("part", SHARD, 0, 1, OFFSETS.token(TOPIC, 0), []),
        counts(0),
        DONE,
    ]


def test_a_dead_letter_is_not_counted() -> None:
    failures: list[Exception] = [TooExpensive("too much memory", own=True)] * 2
    journal = Journal(failures=failures, refused_lane=0, parts_fail=True)
    deliver(journal, replace(batch(0), lanes={0: [rows_on_days(1, {20_000})]}))
    assert [step for step in journal.steps if step[0] in {"dead", "counts"}] == [
        ("dead", 1, "too much memory; the message was inserted alone and failed 3 times")
    ]


def test_a_range_whose_fields_views_counted_is_not_counted_again() -> None:
    journal = Journal(counts=b"counts")
    deliver(journal, batch(0, repeated=earlier_owner(views_counted=True)))
    intent = OFFSETS.intent(TOPIC, SHARD, split=frozenset({0}), views_counted=True)
    assert journal.steps == [("commit", 1, START, intent), insert(0), DONE]
    assert intent.endswith("/9@2!1")
