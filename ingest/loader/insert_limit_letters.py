"""Makes a dead letter of a message that ClickHouse cannot insert even alone, with its original content."""

from collections.abc import Callable

import structlog
from confluent_kafka import Message

from kit import metrics
from schema.coordinates import Coordinates, TopicId
from schema.dead_letter import DeadLetter, Origin
from schema.envelope import Fault
from schema.kafka_message import headers_of

log = structlog.get_logger()

Read = Callable[[Coordinates], Message | None]
"""Reads a message again; None if Kafka has deleted or lost it. Raises Unavailable."""


class InsertLimitLetters:
    """Makes dead letters of refused messages, for several threads.

    They do not count in ingest.loader.failure_rate, because a tenant's content must not stop the loader for all others.
    """

    def __init__(self, read: Read) -> None:
        self._read = read

    def letter(self, topic: TopicId, coordinates: Coordinates, reason: str) -> DeadLetter:
        """Returns a dead letter for a message that ClickHouse refused to insert because of a limit. Counts and logs the
        letter. Raises Unavailable.

        If Kafka has deleted or lost the message meanwhile, the letter has no content and says so.
        """
        message = self._read(coordinates)
        partition, offset = coordinates.partition, coordinates.offset
        origin, fault = Origin(topic.text, partition, offset, coordinates.leader_epoch), Fault.insert_limit
        metrics.counter(metrics.LOADER_DEAD_LETTERS).add(1, {"code": fault})
        log.error("message cannot be loaded", partition=partition, offset=offset, code=fault, reason=reason)
        if message is None:
            gone = f"{reason}; Kafka has deleted or lost the message meanwhile"
            return DeadLetter(origin, fault, gone, None, [], None)
        return DeadLetter(origin, fault, reason, message.key(), headers_of(message), message.value())
