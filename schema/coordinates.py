"""Place of a message in Kafka, and the record ids that follow from it."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

INDEX_BITS = 32
OFFSET_BITS = 64
PARTITION_BITS = 16


@dataclass(frozen=True, slots=True)
class TopicId:
    """Kafka's id of a topic, as 32 hex digits. A topic that is deleted and created again has another one."""

    text: str

    @classmethod
    def from_halves(cls, most_significant: int, least_significant: int) -> Self:
        """Makes the id from the two signed 64-bit halves of a UUID, as librdkafka gives them."""
        mask = (1 << 64) - 1
        return cls(f"{most_significant & mask:016x}{least_significant & mask:016x}")

    @property
    def epoch(self) -> int:
        """16 bits that tell the topic's incarnations apart: its offsets start at 0 again, its record ids must not."""
        return int.from_bytes(blake2b(bytes.fromhex(self.text), digest_size=2).digest(), "big")


@dataclass(frozen=True, slots=True)
class Coordinates:
    """One message of the topic."""

    topic_epoch: int
    partition: int
    offset: int

    @property
    def first_record_id(self) -> int:
        """The 128-bit id of the message's first record; the n-th one (from 0) has this plus n.

        Most significant first: topic epoch 16 bits, partition 16, offset 64, index in the message 32. So ids rise
        with Kafka's order in a partition, and reading a message again makes the same ids.
        """
        high = (self.topic_epoch << PARTITION_BITS) | self.partition
        return ((high << OFFSET_BITS) | self.offset) << INDEX_BITS


def offset_of(record_id: int) -> int:
    """Returns the offset of the Kafka message with the record of this id."""
    return (record_id >> INDEX_BITS) & ((1 << OFFSET_BITS) - 1)
