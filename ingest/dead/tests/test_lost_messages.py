"""Tests of dead letters with one offset, of a message that Kafka lost and of the message that got its offset."""

from collections.abc import Sequence

import pytest

from ingest.dead.deleted_tenants import DeletedTenants
from ingest.dead.listing import list_dead_letters
from ingest.dead.read import find
from ingest.dead.replay import ReplayResult, replay_dead_letters
from ingest.dead.tests.dead_topic import DeadTopic
from kit.clock import ManualClock
from schema.dead_letter import Origin

OF_AN_EARLIER_RELEASE = Origin("ab" * 16, 0, 4)
LOST = Origin("ab" * 16, 0, 4, leader_epoch=3)
AFTER = Origin("ab" * 16, 0, 4, leader_epoch=5)
AGAIN = Origin("cd" * 16, 0, 4, leader_epoch=0)


@pytest.fixture
def topic(monkeypatch: pytest.MonkeyPatch) -> DeadTopic:
    """Returns a topic in which the letter of the lost message was written again after that of the other message."""
    topic = DeadTopic.installed(monkeypatch)
    for origin, value in ((LOST, b"lost"), (AFTER, b"after"), (LOST, b"lost")):
        topic.write(origin, value)
    return topic


def replay(topic: DeadTopic, wanted: Sequence[tuple[int, int]] | None) -> ReplayResult:
    return replay_dead_letters(topic.settings, wanted, DeletedTenants(set, ManualClock(), 30.0, 60.0))


def test_both_are_listed_and_put_back_each_once(topic: DeadTopic) -> None:
    assert {entry.origin for entry in list_dead_letters(topic.settings)} == {LOST, AFTER}
    done = replay(topic, None)
    assert (topic.put_back, done.replayed, done.before) == ([b"lost", b"after"], [LOST, AFTER], {})
    again = replay(topic, None)
    assert (topic.put_back, again.replayed, set(again.before)) == ([b"lost", b"after"], [], {LOST, AFTER})
    assert all(entry.replayed_at_ms is not None for entry in list_dead_letters(topic.settings))


def test_partition_and_offset_name_the_later_message(topic: DeadTopic) -> None:
    assert find(topic.settings, 0, 4).letter.value == b"after"
    assert replay(topic, [(0, 4)]).replayed == [AFTER]
    assert topic.put_back == [b"after"]
    assert {entry.origin for entry in list_dead_letters(topic.settings) if entry.replayed_at_ms is None} == {LOST}
    assert replay(topic, [(0, 4)]).before.keys() == {AFTER}


def test_a_letter_of_an_earlier_release_is_that_of_the_earlier_message(topic: DeadTopic) -> None:
    topic.write(OF_AN_EARLIER_RELEASE, b"old")
    assert find(topic.settings, 0, 4).letter.value == b"after"
    assert replay(topic, None).replayed == [LOST, AFTER, OF_AN_EARLIER_RELEASE]


def test_partition_and_offset_name_the_message_of_a_topic_that_was_created_again(topic: DeadTopic) -> None:
    topic.write(AGAIN, b"again")
    assert find(topic.settings, 0, 4).letter.value == b"again"
    assert replay(topic, [(0, 4)]).replayed == [AGAIN]
