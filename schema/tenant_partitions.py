"""Chooses the partitions of a tenant's messages: receivers write to them and tails read them.

A message's key is the tenant's id. For a tenant that is too big for one partition, a number (the way) follows the id.
Kafka's partitioner maps a key to a partition. There are at most MAX_WAYS keys, so a reader computes the partitions of
all of them and need not know whether the tenant is big.
"""

from typing import Final

PARTITIONER: Final = "murmur2_random"
"""Name of librdkafka's partitioner that chooses as `partition_of` does. Every producer to the topic must set it. The
default is another hash, and tails might never read the partitions that it chooses."""

MAX_WAYS: Final = 4
"""Largest number of keys of one tenant. A tail reads at most this many partitions, whatever the size of the topic."""

_MASK: Final = 0xFFFFFFFF
_MULTIPLIER: Final = 0x5BD1E995
_SEED: Final = 0x9747B28C


def tenant_key(tenant_id: int, way: int) -> bytes:
    """Returns a message's key; `way` counts from 0."""
    return str(tenant_id).encode() if way == 0 else f"{tenant_id}/{way}".encode()


def partitions_of(tenant_id: int, partitions: int) -> frozenset[int]:
    """Returns every partition that may hold the tenant's messages, in a topic with `partitions` partitions."""
    return frozenset(partition_of(tenant_key(tenant_id, way), partitions) for way in range(MAX_WAYS))


def partition_of(key: bytes, partitions: int) -> int:
    """Returns the partition that Java's default partitioner chooses; librdkafka calls it `murmur2`."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def murmur2(data: bytes) -> int:
    """Returns Kafka's 32-bit hash of a key, unsigned. Source: org.apache.kafka.common.utils.Utils.murmur2."""
    hashed = (_SEED ^ len(data)) & _MASK
    whole = len(data) & ~3
    for start in range(0, whole, 4):
        word = int.from_bytes(data[start : start + 4], "little") * _MULTIPLIER & _MASK
        word = (word ^ (word >> 24)) * _MULTIPLIER & _MASK
        hashed = (hashed * _MULTIPLIER & _MASK) ^ word
    if rest := data[whole:]:
        hashed = (hashed ^ int.from_bytes(rest, "little")) * _MULTIPLIER & _MASK
    hashed = (hashed ^ (hashed >> 13)) * _MULTIPLIER & _MASK
    return hashed ^ (hashed >> 15)
