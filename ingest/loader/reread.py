"""Reads a message from Kafka again, for a dead letter that is made after the message was decoded."""

import logging
from typing import Final

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition

from kit.errors import Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings

_SECONDS: Final = 10.0


def read_message(settings: Settings, partition: int, offset: int) -> Message | None:
    """Returns the message of the topic at that offset; None if Kafka has deleted it. Raises Unavailable."""
    consumer = Consumer(_config(settings), logger=logging.getLogger("librdkafka"))
    try:
        consumer.assign([TopicPartition(settings.kafka_topic, partition, offset)])
        message = consumer.poll(_SECONDS)
    except KafkaException as error:
        raise Unavailable(f"message {partition}:{offset} cannot be read again: {error.args[0].str()}") from error
    finally:
        consumer.close()
    if message is None:
        raise Unavailable(f"message {partition}:{offset} cannot be read again: Kafka does not answer")
    if (error_of := message.error()) is not None:
        raise Unavailable(f"message {partition}:{offset} cannot be read again: {error_of.str()}")
    return message if message.offset() == offset else None


def _config(settings: Settings) -> dict[str, str | bool]:
    return {
        **kafka_connection(settings),
        # The partition is only assigned. The client never joins the group, and commits nothing.
        "group.id": "logsieve-loader-reader",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
    }
