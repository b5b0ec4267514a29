"""Position of a message in Kafka, and the record ids that follow from it."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

INDEX_BITS = 32
OFFSET_BITS = 64
PARTITION_BITS = 16


@dataclass(frozen=True, slots=True)
class TopicId:
    """Kafka's id of a topic, as 32 hexadecimal digits. A topic that is deleted and created again has another id."""

    text: str

    @classmethod
    def from_halves(cls, most_significant: int, least_significant: int) -> Self:
        """Makes the id from the two signed 64-bit halves of a UUID, as librdkafka gives them."""
        mask = (1 << 64) - 1
        return cls(f"{most_significant & mask:016x}{least_significant & mask:016x}")

    @property
    def epoch(self) -> int:
        """16-bit hash of the topic's id. It keeps record ids distinct when a topic is created again and its offsets
        restart at 0."""
        return int.from_bytes(blake2b(bytes.fromhex(self.text), digest_size=2).digest(), "big")


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Topic, partition and offset of one message."""

    topic_epoch: int
    partition: int
    offset: int

    @property
    def first_record_id(self) -> int:
        """The 128-bit id of the message's first record. The n-th record (from 0) has this id plus n.

        From the most significant bit: topic epoch 16 bits, partition 16, offset 64, index in the message 32. So ids
        rise with Kafka's order in a partition, and a message that is read again gives the same ids.
        """
        high = (self.topic_epoch << PARTITION_BITS) | self.partition
        return ((high << OFFSET_BITS) | self.offset) << INDEX_BITS


def offset_of(record_id: int) -> int:
    """Returns the offset of the Kafka message that holds the record with this id."""
    return (record_id >> INDEX_BITS) & ((1 << OFFSET_BITS) - 1)
