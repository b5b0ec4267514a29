"""Tests how a replay reads the topic, and how its transactions end."""

import pytest

from ingest.dead.deleted_tenants import DeletedTenants
from ingest.dead.replay import WRITE_SECONDS, replay_dead_letters
from ingest.dead.tests.dead_topic import DeadTopic
from kit.clock import ManualClock
from kit.errors import Unavailable
from schema.dead_letter import Origin

NOBODY = DeletedTenants(set, ManualClock(), 30.0, 60.0)


@pytest.fixture
def topic(monkeypatch: pytest.MonkeyPatch) -> DeadTopic:
    topic = DeadTopic.installed(monkeypatch)
    topic.write(Origin("ab" * 16, 0, 4), b"!")
    return topic


def test_the_topic_is_read_once_to_choose_letters_and_once_to_send_them(topic: DeadTopic) -> None:
    replay_dead_letters(topic.settings, None, NOBODY)
    assert topic.readings == 2


def test_a_transaction_that_fails_is_aborted_and_the_first_error_is_told(topic: DeadTopic) -> None:
    topic.refuses = True
    with pytest.raises(Unavailable, match=r"cannot be replayed: .*[Tt]imed out"):
        replay_dead_letters(topic.settings, None, NOBODY)
    assert topic.aborted == 1


def test_kafka_ends_the_transaction_of_a_killed_replay_in_time(topic: DeadTopic) -> None:
    replay_dead_letters(topic.settings, None, NOBODY)
    assert topic.config["transaction.timeout.ms"] == WRITE_SECONDS * 1000
