import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from unittest.mock import Mock

import pytest

from ingest.committed.intent import done
from ingest.loader.batch import Batch
from ingest.loader.claim import Abandoned
from ingest.loader.decode import usage_of
from ingest.loader.insert_errors import TooExpensive
from ingest.loader.lane_parts import BeforeSending
from ingest.loader.side_by_side import Step
from ingest.loader.tests.journal import (
    DONE,
    END,
    INTENT,
    OFFSETS,
    SHARD,
    START,
    TOPIC,
    Journal,
    PatientClaim,
    batch,
    deliver,
    deliver_to_one_of_several_shards,
    earlier_owner,
    insert,
)
from ingest.loader.tests.rows import rows_on_days, some_rows
from kit import metrics
from kit.errors import Internal, Unavailable
from schema.coordinates import TopicId
from schema.dead_letter import DeadLetter, Origin
from schema.otlp import LogMessage
from schema.usage import Usage, UsageCount, UsageKey

LETTER = DeadLetter(Origin(TOPIC.text, 1, 6), "not_otlp", "why", None, [], b"?")


def test_intent_then_lanes_then_commit() -> None:
    journal = Journal()
    deliver(journal, batch(3, 0))
    first, *lanes, last = journal.steps
    assert (first, sorted(lanes, key=str), last) == (INTENT, [insert(0), insert(3)], DONE)


def test_nothing_is_written_when_the_topic_was_created_again() -> None:
    journal = Journal(topic_ids=[Unavailable("Kafka is unreachable"), TopicId("f" * 32)])
    with pytest.raises(Internal, match="created again"):
        deliver(journal, batch(0, dead=[LETTER]))
    assert journal.steps == []
    assert (1, "Kafka is unreachable") in journal.problems


def test_no_dead_letter_is_made_of_a_message_of_a_new_topic() -> None:
    expensive: list[Exception] = [TooExpensive("too much memory", own=True)] * 2
    journal = Journal(expensive, refused_lane=0, parts_fail=True, topic_ids=[TOPIC, TopicId("f" * 32)])
    with pytest.raises(Internal, match="created again"):
        deliver(journal, batch(0))
    assert [step[0] for step in journal.steps if step[0] in ("dead", "write")] == ["dead"]


def test_a_batch_without_rows_still_moves_the_offset() -> None:
    journal = Journal()
    deliver(journal, batch())
    assert journal.steps == [INTENT, DONE]


def test_usage_comes_after_the_rows_and_before_the_commit() -> None:
    journal = Journal()
    usage = Usage({UsageKey(1, 2, "accepted"): UsageCount(1, 1, 10)})
    deliver(
        journal, Batch(OFFSETS, {0: [some_rows(1)]}, [], usage, 1, None, SHARD, END, start_epoch=START.leader_epoch)
    )
    assert journal.steps == [INTENT, insert(0), ("usage", SHARD, 1, OFFSETS.usage_token(TOPIC)), DONE]


def test_stored_lanes_are_committed_when_usage_fails() -> None:
    journal = Journal(usage_failures=[Unavailable("unreachable")] * 2)
    counted = Usage({UsageKey(1, 2, "accepted"): UsageCount(1, 1, 10)})
    deliver(journal, replace(batch(0, 3), usage=counted))
    usage = ("usage", SHARD, 1, OFFSETS.usage_token(TOPIC))
    stored = ("commit", 1, START, OFFSETS.intent(TOPIC, SHARD, frozenset({0, 3})))
    assert journal.steps[3:] == [usage, stored, usage, usage, DONE]


def test_the_shard_of_each_tenant_is_recorded_before_any_row_is_inserted() -> None:
    journal = Journal(record_failures=[Unavailable("the control plane is unreachable")])
    usage = Usage({UsageKey(each, 2, "accepted"): UsageCount(1, 1, 10) for each in (7, 3)})
    deliver_to_one_of_several_shards(
        journal, Batch(OFFSETS, {0: [some_rows(1)]}, [], usage, 1, None, SHARD, END, start_epoch=START.leader_epoch)
    )
    recorded = ("record", SHARD, [3, 7])
    assert journal.steps[:4] == [INTENT, recorded, recorded, insert(0)]
    assert (1, "the control plane is unreachable") in journal.problems


def test_dead_letters_are_confirmed_before_anything_is_committed() -> None:
    journal = Journal(failures=[Unavailable("nothing is wrong yet")])
    deliver(journal, batch(0, dead=[LETTER]))
    assert journal.steps == [INTENT, INTENT, ("write", 6), insert(0), DONE]


def test_a_dead_letter_that_kafka_does_not_take_holds_the_offset() -> None:
    journal, claim = Journal(), PatientClaim(ends_after=3)

    def refuse(dead_letters: list[DeadLetter]) -> None:
        journal.steps.append(("write", len(dead_letters)))
        raise Unavailable("a dead letter was not taken")

    journal.write = refuse  # type: ignore[method-assign]  # one more way to fail
    with pytest.raises(Abandoned):
        deliver(journal, batch(0, dead=[LETTER]), claim)
    assert journal.steps == [INTENT, ("write", 1), ("write", 1), ("write", 1)]


@pytest.mark.parametrize("error", [Unavailable("unreachable"), Internal("refused")])
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


WITHOUT_1 = ("commit", 1, START, OFFSETS.intent(TOPIC, SHARD, frozenset({0, 2}), frozenset({1})))
REFUSED = ("insert", 1, "refused")


def test_a_lane_that_hangs_does_not_hold_up_the_others() -> None:
    journal, others = Journal(), threading.Barrier(3)
    insert_one = journal.insert

    def hang(shard: int, lane: int, messages: Sequence[LogMessage], token: str, before_sending: BeforeSending) -> bytes:
        insert_one(shard, lane, messages, token, before_sending)
        others.wait(timeout=60)  # each of the three lanes continues only after all have started
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
        ("commit", 1, START, OFFSETS.intent(TOPIC, SHARD, frozenset(), frozenset({0}))),
        stopped,
        *[part, stopped, part, stopped],
        part,
        ("dead", 1, "too much memory; the message was inserted alone and failed 3 times"),
        ("write", 1),
        stopped,
        ("commit", 1, END, done(TOPIC)),
    ]


def test_usage_leaves_out_messages_that_were_given_up() -> None:
    journal = Journal([TooExpensive("too much memory", own=True)] * 2, refused_lane=0, parts_fail=True)
    given_up, stored, key = some_rows(2), rows_on_days(6, {1, 2, 3}), UsageKey(1, 0, "accepted")
    usage = usage_of([given_up, stored])
    usage.counts[UsageKey(1, 0, "too_old")] = UsageCount(0, 1, 10)
    deliver(journal, Batch(OFFSETS, {0: [given_up], 1: [stored]}, [], usage, 1, None, SHARD, END))
    size = len(stored.message.value)
    assert journal.counted == [Usage({key: UsageCount(1, 3, size), UsageKey(1, 0, "too_old"): UsageCount(0, 1, 10)})]


def test_a_lane_with_a_message_that_was_given_up_is_loaded_again_by_the_next_owner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next owner of the partition would otherwise not know that usage leaves the message out."""

    def one_after_the_other(_name: str, steps: Sequence[Step], late: Step, _seconds: float) -> None:
        for step in (late, *steps):
            step()

    monkeypatch.setattr("ingest.loader.deliver.side_by_side", one_after_the_other)
    journal = Journal([TooExpensive("too much memory", own=True)] * 2, refused_lane=0, parts_fail=True)
    deliver(journal, replace(batch(), lanes={0: [some_rows(1)], 1: [rows_on_days(7, {1})]}))
    noted = ("commit", 1, START, OFFSETS.intent(TOPIC, SHARD, frozenset({1}), frozenset({0})))
    assert [step for step in journal.steps if step[0] == "commit"][-2:] == [noted, DONE]


@pytest.mark.parametrize(("messages", "splits"), [(2, 1), (1, 0)])
def test_an_insert_of_several_messages_that_costs_too_much_is_counted_as_split(
    monkeypatch: pytest.MonkeyPatch, messages: int, splits: int
) -> None:
    counted: list[tuple[object, int, dict[str, str]]] = []
    counter = Mock(side_effect=lambda metric: Mock(add=lambda by, labels: counted.append((metric, by, labels))))
    monkeypatch.setattr(metrics, "counter", counter)
    journal = Journal(failures=[TooExpensive("too much memory", own=True)] * 2, refused_lane=0)
    rows = [some_rows(1) for _ in range(messages)]
    deliver(journal, Batch(OFFSETS, {0: rows}, [], Usage({}), messages, None, SHARD, END, start_epoch=4))
    assert counted.count((metrics.LOADER_SPLITS, 1, {"lane": "0"})) == splits


def test_a_limit_of_the_server_kills_no_message() -> None:
    journal, claim = Journal(), PatientClaim(ends_after=20)

    def refuse(*_arguments: object) -> None:
        raise TooExpensive("the server's memory", own=False)

    for name in ("insert", "insert_missing"):
        setattr(journal, name, refuse)
    with pytest.raises(Abandoned):
        deliver(journal, batch(0), claim)
    assert [step for step in journal.steps if step[0] in {"dead", "write"}] == []


def test_a_lane_that_an_earlier_owner_split_goes_on_in_parts_when_no_insert_can_start() -> None:
    journal = Journal()
    deliver(journal, batch(0, repeated=earlier_owner(split=frozenset({0}))))
    token = OFFSETS.token(TOPIC, 0)
    assert journal.steps == [
        ("commit", 1, START, OFFSETS.intent(TOPIC, SHARD, frozenset(), frozenset({0}))),
        ("stop", SHARD, token),
        ("stopped", SHARD, token, 30.0),
        ("part", SHARD, 0, 1, token, []),
        DONE,
    ]


def test_parts_are_not_inserted_while_another_loader_may_own_the_partition() -> None:
    class Polling(PatientClaim):
        """Its thread polls again during the second wait."""

        def check_polled(self) -> None:
            if len(self.waited) < 2:
                raise Unavailable("the brokers do not answer")

    journal, claim = Journal(), Polling()
    deliver(journal, batch(0, repeated=earlier_owner(split=frozenset({0}))), claim)
    parts = [step[0] for step in journal.steps if step[0] in ("stop", "part")]
    # Each time before it goes on, it ends the inserts of the loader that may have had the partition meanwhile.
    assert parts == ["stop", "stop", "stop", "part"]


def test_no_step_is_repeated_after_the_claim_has_ended() -> None:
    journal, claim = Journal(record_failures=[Unavailable("the control plane is unreachable")] * 9), PatientClaim(3)
    with pytest.raises(Abandoned):
        deliver_to_one_of_several_shards(journal, batch(0), claim)
    assert len(claim.waited) == 3


def test_lanes_that_an_earlier_owner_inserted_are_not_repeated() -> None:
    journal = Journal()
    deliver(journal, batch(0, 1, 2, repeated=earlier_owner(inserted=frozenset({0, 2}))))
    assert journal.steps == [
        ("commit", 1, START, OFFSETS.intent(TOPIC, SHARD, frozenset({0, 2}), frozenset({1}))),
        insert(1),
        DONE,
    ]


def test_a_batch_that_is_no_longer_ours_is_left_to_the_next_owner() -> None:
    journal = Journal(failures=[Unavailable("unreachable")])
    with pytest.raises(Abandoned):
        deliver(journal, batch(0), PatientClaim(ends_after=1))
    assert journal.steps == [INTENT]
