"""Tests which content the dead letter of a refused message has, with a fake of Kafka's consumer."""

from functools import partial

import pytest
from confluent_kafka import KafkaError, Message, TopicPartition

from ingest.loader import reread
from ingest.loader.insert_limit_letters import InsertLimitLetters
from ingest.loader.reread import read_message
from kit.settings import Settings
from schema.coordinates import UNKNOWN_EPOCH, Coordinates, TopicId
from schema.dead_letter import DeadLetter, Origin

TOPIC = TopicId("ab" * 16)


class StoredMessage:
    """Fake of a consumer of a partition that has one message."""

    def __init__(self, offset: int, leader_epoch: int | None) -> None:
        self.message = (
            Message(value=b"!", offset=offset)
            if leader_epoch is None
            else Message(value=b"!", offset=offset, leader_epoch=leader_epoch)
        )

    def assign(self, partitions: list[TopicPartition]) -> None:
        assert [(each.partition, each.offset) for each in partitions] == [(3, 7)]

    def poll(self, _: float) -> Message:
        return self.message

    def close(self) -> None:
        pass


def letter(monkeypatch: pytest.MonkeyPatch, stored: StoredMessage, leader_epoch: int) -> DeadLetter:
    """Returns the dead letter of a message that had offset 7 in this epoch."""
    monkeypatch.setattr(reread, "Consumer", lambda *_args, **_options: stored)
    refused = InsertLimitLetters(partial(read_message, Settings()))
    made = refused.letter(TOPIC, Coordinates(TOPIC.epoch, 3, 7, leader_epoch), "too much memory")
    assert made.origin == Origin(TOPIC.text, 3, 7, leader_epoch)
    return made


@pytest.mark.parametrize(("written", "found"), [(2, 2), (0, 0), (UNKNOWN_EPOCH, 2), (2, None)])
def test_it_has_the_content_of_the_message(monkeypatch: pytest.MonkeyPatch, written: int, found: int | None) -> None:
    made = letter(monkeypatch, StoredMessage(7, found), written)
    assert (made.value, made.reason) == (b"!", "too much memory")


@pytest.mark.parametrize(("offset", "found"), [(7, 3), (8, 2)])
def test_it_has_no_content_if_another_message_is_there(
    monkeypatch: pytest.MonkeyPatch, offset: int, found: int
) -> None:
    made = letter(monkeypatch, StoredMessage(offset, found), 2)
    assert (made.value, made.headers) == (None, [])
    assert made.reason == "too much memory; Kafka has deleted or lost the message meanwhile"


def test_it_has_no_content_if_kafka_has_lost_the_message_and_all_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = StoredMessage(7, None)
    stored.message = Message(partition=3, offset=7, error=KafkaError(KafkaError._PARTITION_EOF))
    assert letter(monkeypatch, stored, 2).value is None


def test_a_message_of_epoch_0_is_not_taken_for_one_without_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    assert letter(monkeypatch, StoredMessage(7, 1), 0).value is None
