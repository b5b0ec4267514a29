"""Chooses the partitions of the topic for a tenant's messages: receivers write to them and tails read them.

A message's key is the tenant's id, or for a tenant too big for one partition the id with the number of a way. Kafka's
partitioner makes a partition of the key. There are few ways, so a reader knows the partitions of all of them and need
not know when a tenant became big.
"""

from typing import Final

PARTITIONER: Final = "murmur2_random"
"""Name of librdkafka's partitioner that chooses as `partition_of` does. Every producer to the topic is to be configured
with it: its default is another hash, and tails of a tenant may never read the partitions that it chooses."""

MAX_WAYS: Final = 4
"""Largest number of keys of one tenant. A tail reads at most as many partitions, for any size of the topic."""

_MASK: Final = 0xFFFFFFFF
_MULTIPLIER: Final = 0x5BD1E995
_SEED: Final = 0x9747B28C


def tenant_key(tenant_id: int, way: int) -> bytes:
    """Returns the key of a message, `way` counted from 0."""
    return str(tenant_id).encode() if way == 0 else f"{tenant_id}/{way}".encode()


def partitions_of(tenant_id: int, partitions: int) -> frozenset[int]:
    """Returns all partitions that messages of the tenant may be in, of a topic with `partitions` partitions."""
    return frozenset(partition_of(tenant_key(tenant_id, way), partitions) for way in range(MAX_WAYS))


def partition_of(key: bytes, partitions: int) -> int:
    """Returns the partition that Java's default partitioner chooses, which librdkafka calls `murmur2`."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def murmur2(data: bytes) -> int:
    """Kafka's 32-bit hash of keys, unsigned. Source: org.apache.kafka.common.utils.Utils.murmur2."""
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
