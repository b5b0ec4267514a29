"""Makes a dead letter of a message that ClickHouse cannot insert even alone, with its original content."""

from collections.abc import Callable

import structlog
from confluent_kafka import Message

from kit import metrics
from schema.coordinates import TopicId
from schema.dead_letter import DeadLetter, Origin
from schema.envelope import Fault
from schema.kafka_message import headers_of

log = structlog.get_logger()

Read = Callable[[int, int], Message | None]
"""Reads the message of a partition and an offset again; None if Kafka has deleted it. Raises Unavailable."""


class RefusedMessages:
    """Makes dead letters of refused messages, for several threads.

    They do not count in ingest.loader.failure_rate, because a tenant's content must not stop the loader for all others.
    """

    def __init__(self, read: Read) -> None:
        self._read = read

    def letter(self, topic: TopicId, partition: int, offset: int, reason: str) -> DeadLetter:
        """Returns a dead letter for a message that ClickHouse refused to insert because of a limit. Counts and logs the
        letter. Raises Unavailable.

        If Kafka has deleted the message meanwhile, the letter has no content and says so.
        """
        message = self._read(partition, offset)
        origin, fault = Origin(topic.text, partition, offset), Fault.insert_limit
        metrics.counter(metrics.LOADER_DEAD_LETTERS).add(1, {"code": fault})
        log.error("message cannot be loaded", partition=partition, offset=offset, code=fault, reason=reason)
        if message is None:
            return DeadLetter(origin, fault, f"{reason}; Kafka has deleted the message meanwhile", None, [], None)
        return DeadLetter(origin, fault, reason, message.key(), headers_of(message), message.value())
