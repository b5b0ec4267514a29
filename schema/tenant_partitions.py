"""Which partitions of the topic a tenant's messages may be in: what receivers write by and tails read by.

A message's key is the tenant's id, or for a tenant too big for one partition the id with a way behind it. Kafka's
partitioner makes a partition of the key. There are few ways, so a reader can know all of them without being told at
which moment a tenant became big.
"""

from typing import Final

PARTITIONER: Final = "murmur2_random"
"""Name of librdkafka's partitioner that chooses as `partition_of` does. Every producer to the topic is to be configured
with it: its default is another hash, and tails of a tenant may never read the partitions that it chooses."""

MAX_WAYS: Final = 4
"""Most keys of one tenant. A tail reads as many partitions at most, whatever the size of the topic."""

_MASK: Final = 0xFFFFFFFF
_MULTIPLIER: Final = 0x5BD1E995
_SEED: Final = 0x9747B28C


def tenant_key(tenant_id: int, way: int) -> bytes:
    """The key of a message, `way` counted from 0."""
    return str(tenant_id).encode() if way == 0 else f"{tenant_id}/{way}".encode()


def partitions_of(tenant_id: int, partitions: int) -> frozenset[int]:
    """Every partition that a message of the tenant may be in, of a topic with that many."""
    return frozenset(partition_of(tenant_key(tenant_id, way), partitions) for way in range(MAX_WAYS))


def partition_of(key: bytes, partitions: int) -> int:
    """The choice of Java's default partitioner, which librdkafka calls `murmur2`."""
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
