"""Tests that an erasure waits for messages that loaders cannot read yet, because a replay was killed."""

from confluent_kafka import Consumer, Producer, TopicPartition

from ingest.erasure.topic_ends import partitions_to_load, read_ends
from kit.kafka import kafka_connection
from tests.ingest.pipeline import Pipeline


def commit(pipeline: Pipeline, offset: int) -> None:
    """Commits an offset of partition 0, as a loader does when it has loaded all messages before."""
    consumer = Consumer({**kafka_connection(pipeline.settings), "group.id": pipeline.settings.consumer_group})
    consumer.commit(offsets=[TopicPartition(pipeline.settings.kafka_topic, 0, offset)], asynchronous=False)
    consumer.close()


def test_messages_behind_an_unfinished_transaction_are_yet_to_be_loaded(pipeline: Pipeline) -> None:
    settings = pipeline.settings
    pipeline.send_raw(b"before", [], partition=0)
    pipeline.flush()
    replay = Producer({**kafka_connection(settings), "transactional.id": f"replay-{settings.kafka_topic}"})
    replay.init_transactions(60)
    replay.begin_transaction()
    replay.produce(settings.kafka_topic, b"put back", partition=0)
    assert replay.flush(60) == 0
    pipeline.send_raw(b"of a deleted tenant", [], partition=0)
    pipeline.flush()

    ends = read_ends(settings)
    assert partitions_to_load(settings, ends) == [0]
    commit(pipeline, 1)
    assert partitions_to_load(settings, ends) == [0]
    replay.abort_transaction(60)
    assert partitions_to_load(settings, ends) == [0]
    commit(pipeline, 3)
    assert partitions_to_load(settings, ends) == []
