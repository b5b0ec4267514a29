"""Position of a message in Kafka, and the record ids that follow from it."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Self

INDEX_BITS = 32
OFFSET_BITS = 48
LEADER_EPOCH_BITS = 16
PARTITION_BITS = 16

POSITION_BITS: Final = LEADER_EPOCH_BITS + OFFSET_BITS
"""Bits of a record id that order the messages of one partition."""

UNKNOWN_EPOCH: Final = -1
"""Leader epoch of a position whose epoch is not known. Kafka's protocol writes it the same way."""


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
class LogPosition:
    """Offset in a partition, and the epoch of the leader that wrote there.

    Kafka raises the epoch of a partition's leader whenever it elects one, also when its only broker starts again. If
    Kafka loses its newest messages, other messages get their offsets, with a later epoch (KIP-320).
    """

    offset: int
    leader_epoch: int = UNKNOWN_EPOCH


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Topic, partition and offset of one message, and the epoch of the leader that wrote it."""

    topic_epoch: int
    partition: int
    offset: int
    leader_epoch: int = UNKNOWN_EPOCH

    @property
    def first_record_id(self) -> int:
        """The 128-bit id of the message's first record. The n-th record (from 0) has this id plus n.

        From the most significant bit: topic epoch 16 bits, partition 16, leader epoch 16, offset 48, index in the
        message 32. So ids rise with Kafka's order in a partition, a message that is read again gives the same ids, and
        a message that has the offset of a lost one gives others. The order breaks once in 65,536 elections. An unknown
        leader epoch is written as 0. Ids that earlier releases made have 0 there.
        """
        high = (self.topic_epoch << PARTITION_BITS) | self.partition
        high = (high << LEADER_EPOCH_BITS) | (max(self.leader_epoch, 0) % (1 << LEADER_EPOCH_BITS))
        return ((high << OFFSET_BITS) | self.offset) << INDEX_BITS


def offset_of(record_id: int) -> int:
    """Returns the offset of the Kafka message that holds the record with this id."""
    return (record_id >> INDEX_BITS) & ((1 << OFFSET_BITS) - 1)


def partition_of(record_id: int) -> int:
    """Returns the partition of the Kafka message that holds the record with this id."""
    return (record_id >> (INDEX_BITS + POSITION_BITS)) & ((1 << PARTITION_BITS) - 1)
