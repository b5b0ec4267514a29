"""Checks that loaders have passed every message that was in the topic at a given moment."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

from ingest.committed.intent import resume_position
from kit.errors import Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.control.erasures import Ends
from schema.coordinates import TopicId
from schema.topic import read_topic_id

_SECONDS: Final = 10.0


def read_ends(settings: Settings) -> Ends:
    """Returns the present end offset of each partition. Raises Unavailable when Kafka does not answer."""
    topic = settings.kafka_topic
    # While a replay of dead letters runs, only this level of isolation shows the end of messages that were written
    # after the first message of its transaction.
    with _consumer(settings, "read_uncommitted") as consumer:
        metadata = consumer.list_topics(topic, timeout=_SECONDS).topics[topic]
        if metadata.error is not None:
            raise KafkaException(metadata.error)
        offsets = {}
        for partition in metadata.partitions:
            _, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=_SECONDS)
            offsets[partition] = high
    return Ends(topic_id=read_topic_id(settings).text, offsets=offsets)


def partitions_to_load(settings: Settings, ends: Ends) -> list[int] | None:
    """Returns the partitions in which loaders have not loaded all messages before the given end.

    Returns None if the topic was deleted and created again after `ends` were read. Raises Unavailable when Kafka does
    not answer.
    """
    topic = read_topic_id(settings)
    if topic.text != ends.topic_id:
        return None
    # Loaders read no message behind the first one of a transaction that has not ended.
    with _consumer(settings, "read_committed") as consumer:
        requested = [TopicPartition(settings.kafka_topic, partition) for partition in ends.offsets]
        committed = consumer.committed(requested, timeout=_SECONDS)
        return sorted(each.partition for each in committed if not _passed(consumer, each, ends, topic))


def _passed(consumer: Consumer, committed: TopicPartition, ends: Ends, topic: TopicId) -> bool:
    if committed.error is not None:
        raise KafkaException(committed.error)
    position = resume_position(committed, topic)
    end = ends.offsets[committed.partition]
    start = position.start or 0
    if start >= end:
        return True
    if position.intended is not None:
        return False
    # The offsets in between may be transaction markers, or messages that Kafka has deleted. Neither is loaded.
    return _first_message(consumer, committed.topic, committed.partition, position.start) >= end


def _first_message(consumer: Consumer, topic: str, partition: int, start: int | None) -> int:
    """Returns the offset of the first message at or after `start` that loaders can read; if there is none, the end of
    what they can read."""
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING if start is None else start)])
    message = consumer.poll(_SECONDS)
    consumer.unassign()
    if message is None:
        raise Unavailable("the topic cannot be read: Kafka does not answer")
    error = message.error()
    if error is not None and error.code() != KafkaError._PARTITION_EOF:
        raise KafkaException(error)
    offset = message.offset()
    assert offset is not None, "messages and ends of partitions have an offset"
    return offset


@contextmanager
def _consumer(settings: Settings, isolation: Literal["read_committed", "read_uncommitted"]) -> Iterator[Consumer]:
    # The client only reads the group's offsets. It never joins the group, and commits nothing.
    config: dict[str, str | int | bool] = {
        **kafka_connection(settings),
        "group.id": settings.consumer_group,
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "auto.offset.reset": "earliest",
        "isolation.level": isolation,
    }
    consumer = Consumer(config, logger=logging.getLogger("librdkafka"))
    try:
        yield consumer
    except KafkaException as error:
        raise Unavailable(f"the topic and the loaders' offsets cannot be read: {error.args[0].str()}") from error
    finally:
        consumer.close()
