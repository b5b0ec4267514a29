"""The offsets that a consumer group has committed."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, KafkaException, TopicPartition


class CommittedOffsets:
    """Reads the offsets that a group has committed for a topic. Must be closed.

    A consumer reads them, without joining the group. Kafka's admin client would end the process with a segmentation
    fault if the group's coordinator has moved to another broker
    (https://github.com/confluentinc/librdkafka/issues/5040).
    """

    def __init__(self, connection: Mapping[str, Any], group: str, topic: str) -> None:
        """`connection` has the settings of a client that connects to Kafka. Raises KafkaException if they are invalid.

        Begins to connect, and does not wait for that.
        """
        # With read_uncommitted, a broker that has just become the group's coordinator answers from the state up to the
        # high watermark that it knows. The group's last commits are then missing, perhaps until its next commit.
        config = {**connection, "group.id": group, "isolation.level": "read_committed"}
        self._consumer = Consumer(config, logger=logging.getLogger("librdkafka"))
        self._topic = topic

    def read(self, partitions: Iterable[int], seconds: float) -> Sequence[TopicPartition]:
        """Returns the committed offset of these partitions with its metadata. It is negative for a partition without a
        committed offset.

        Raises KafkaException, also if Kafka answers with an error for one of the partitions.
        """
        wanted = [TopicPartition(self._topic, each) for each in partitions]
        found = self._consumer.committed(wanted, timeout=seconds)
        raise_first_error(found)
        return found

    def close(self) -> None:
        """Closes the connections. Waits for them."""
        self._consumer.close()


def raise_first_error(positions: Iterable[TopicPartition]) -> None:
    """Raises KafkaException with the first error that Kafka has set on a partition. Its client raises none of them."""
    for each in positions:
        if each.error is not None:
            raise KafkaException(each.error)
