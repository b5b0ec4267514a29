"""Reads a message from Kafka again, for a dead letter that is made after the message was decoded."""

import logging
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from kit.errors import Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.coordinates import UNKNOWN_EPOCH, Coordinates
from schema.kafka_message import leader_epoch_of

_SECONDS: Final = 10.0


def read_message(settings: Settings, coordinates: Coordinates) -> Message | None:
    """Returns the message of the topic at these coordinates; None if Kafka has deleted or lost it. Raises
    Unavailable."""
    partition, offset = coordinates.partition, coordinates.offset
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
        if error_of.code() == KafkaError._PARTITION_EOF:
            return None
        raise Unavailable(f"message {partition}:{offset} cannot be read again: {error_of.str()}")
    return message if message.offset() == offset and _may_be_of(coordinates.leader_epoch, message) else None


def _may_be_of(epoch: int, message: Message) -> bool:
    """Returns whether the leader of this epoch wrote the message, as far as both epochs are known. If Kafka loses a
    message, another one gets its offset, with a later epoch."""
    found = leader_epoch_of(message)
    return found == epoch or UNKNOWN_EPOCH in (found, epoch)


def _config(settings: Settings) -> dict[str, str | bool]:
    return {
        **kafka_connection(settings),
        # The partition is only assigned. The client never joins the group, and commits nothing.
        "group.id": "logsieve-loader-reader",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
        # Kafka may have lost the message and all after it. Nothing would be read then.
        "enable.partition.eof": True,
    }
