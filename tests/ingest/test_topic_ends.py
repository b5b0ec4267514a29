"""Tests that an erasure waits for messages and dead letters that cannot be read yet, because a replay was killed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from ingest.erasure.dead_letters import count_dead_letters
from ingest.erasure.topic_ends import partitions_to_load, read_ends
from kit.errors import Unavailable
from kit.kafka import kafka_connection
from schema.dead_letter import DeadLetter, Origin
from tests.eventually import eventually
from tests.ingest.pipeline import Pipeline

TENANT = 7


@contextmanager
def replaying(pipeline: Pipeline, topic: str) -> Iterator[None]:
    """Has a transaction that wrote a message to partition 0 of a topic, and aborts it after the block."""
    settings = pipeline.settings
    replay = Producer({**kafka_connection(settings), "transactional.id": f"replay-{settings.kafka_topic}"})
    replay.init_transactions(60)
    replay.begin_transaction()
    replay.produce(topic, b"put back", partition=0)
    assert replay.flush(60) == 0
    yield
    replay.abort_transaction(60)


def commit(pipeline: Pipeline, offset: int) -> None:
    """Commits an offset of partition 0, as a loader does when it has loaded all messages before."""
    consumer = Consumer({**kafka_connection(pipeline.settings), "group.id": pipeline.settings.consumer_group})
    consumer.commit(offsets=[TopicPartition(pipeline.settings.kafka_topic, 0, offset)], asynchronous=False)
    consumer.close()


def test_messages_behind_an_unfinished_transaction_are_yet_to_be_loaded(pipeline: Pipeline) -> None:
    settings = pipeline.settings
    pipeline.send_raw(b"before", [], partition=0)
    pipeline.flush()
    eventually(lambda: is_answered(lambda: read_ends(settings)), "the new topic's partitions have leaders")
    with replaying(pipeline, settings.kafka_topic):
        pipeline.send_raw(b"of a deleted tenant", [], partition=0)
        pipeline.flush()
        ends = read_ends(settings)
        assert partitions_to_load(settings, ends) == [0]
        commit(pipeline, 1)
        assert partitions_to_load(settings, ends) == [0]
    assert partitions_to_load(settings, ends) == [0]
    commit(pipeline, 3)
    assert partitions_to_load(settings, ends) == []


def test_dead_letters_behind_an_unfinished_transaction_are_yet_to_be_counted(pipeline: Pipeline) -> None:
    settings = pipeline.settings
    letter = DeadLetter(Origin("1" * 32, 0, 5), "envelope", "why", f"{TENANT}".encode(), [], b"of a deleted tenant")
    eventually(lambda: is_answered(lambda: count_dead_letters(settings)), "the new topic's partitions have leaders")
    assert not count_dead_letters(settings).of_tenant
    with replaying(pipeline, settings.kafka_dead_topic):
        writing = Producer({**kafka_connection(settings), "acks": "all"})
        writing.produce(settings.kafka_dead_topic, letter.value, letter.key, 0, headers=letter.to_headers())
        assert writing.flush(60) == 0
        with pytest.raises(Unavailable, match="cannot be read yet"):
            count_dead_letters(settings)
    eventually(lambda: is_counted(pipeline), "the dead letter is counted")


def is_answered(read: Callable[[], object]) -> bool:
    """Returns false until Kafka answers. A topic that was just created may have no leader yet."""
    try:
        read()
    except Unavailable:
        return False
    return True


def is_counted(pipeline: Pipeline) -> bool:
    """Returns false until Kafka has ended the aborted transaction."""
    try:
        return count_dead_letters(pipeline.settings).of_tenant == {TENANT: 1}
    except Unavailable:
        return False
