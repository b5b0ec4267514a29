"""Chooses the partitions of a tenant's messages: receivers write to them and tails read them.

A message's key is the tenant's id. For a tenant that is too big for one partition, a number (the way) follows the id.
Kafka's partitioner maps a key to a partition. A tenant has DEFAULT_WAYS keys unless an operator allows it more, so a
reader computes the partitions of all of them and need not know how many the tenant's rate needs.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

PARTITIONER: Final = "murmur2_random"
"""Name of librdkafka's partitioner that chooses as `partition_of` does. Every producer to the topic must set it. The
default is another hash, and tails might never read the partitions that it chooses."""

DEFAULT_WAYS: Final = 4
"""Largest number of keys of a tenant for which no operator has set another number. A tail reads at most this many
partitions, whatever the size of the topic."""

MAX_WAYS: Final = 16
"""Largest number of keys that a tenant may be allowed."""

MORE_KEYS_NS: Final = 60 * 10**9
"""Nanoseconds from a change until receivers use more keys than before. Backends read the control plane every few
seconds, and their tails read the partitions of the new keys by then."""

KEEP_NS: Final = 86_400 * 10**9
"""Nanoseconds from a change during which tails still read the partitions of the former keys, because a tail may resume
from a position before the change."""


@dataclass(frozen=True, slots=True)
class Ways:
    """Number of keys of a tenant, the number before its last change, and the time of that change in nanoseconds since
    the Unix epoch."""

    number: int = DEFAULT_WAYS
    before: int = DEFAULT_WAYS
    since_ns: int = 0

    def written(self, now_ns: int) -> int:
        """Returns how many keys a receiver may use."""
        return min(self.number, self.before) if now_ns < self.since_ns + MORE_KEYS_NS else self.number

    def read(self, now_ns: int) -> int:
        """Returns the number of keys whose partitions a tail must read. It is at least the number that any receiver
        uses, or used shortly before."""
        return max(self.number, self.before) if now_ns < self.since_ns + KEEP_NS else self.number

    def changed(self, number: int, now_ns: int) -> "Ways":
        """Returns the ways after the number was changed at `now_ns`. Returns this object if the number is the same."""
        if number == self.number:
            return self
        # No receiver uses more keys than before until the change is announced, and tails may not know them yet.
        is_announced = now_ns >= self.since_ns + MORE_KEYS_NS
        return Ways(number, self.read(now_ns) if is_announced else min(self.read(now_ns), self.before), now_ns)


UNCHANGED: Final = Ways()
"""Ways of a tenant whose number of keys was never changed."""

_MASK: Final = 0xFFFFFFFF
_MULTIPLIER: Final = 0x5BD1E995
_SEED: Final = 0x9747B28C


def tenant_key(tenant_id: int, way: int) -> bytes:
    """Returns a message's key; `way` counts from 0."""
    return str(tenant_id).encode() if way == 0 else f"{tenant_id}/{way}".encode()


def partitions_of(tenant_id: int, partitions: int, ways: int = DEFAULT_WAYS) -> frozenset[int]:
    """Returns every partition that may hold the tenant's messages with `ways` keys, in a topic with `partitions`
    partitions."""
    return frozenset(partition_of(tenant_key(tenant_id, way), partitions) for way in range(ways))


def possible_partitions(tenant_id: int, named: AbstractSet[int], partitions: int, ways: int) -> frozenset[int]:
    """Returns those of the named partitions that may hold messages of the tenant from before a change.

    The topic has `partitions` partitions now, and the tenant's messages have `ways` keys. The tenant may have had any
    number of keys, and the topic one smaller number of partitions.
    """
    known = named & partitions_of(tenant_id, partitions, MAX_WAYS)
    further = named - known
    hashes = [_positive_hash(tenant_key(tenant_id, way)) for way in range(ways)]
    # A topic that had the named partitions had at least one more than the largest number, because they begin at 0.
    for former in range(max(further, default=partitions) + 1, partitions):
        if further <= {hashed % former for hashed in hashes}:
            return frozenset(named)
    return frozenset(known)


def partition_of(key: bytes, partitions: int) -> int:
    """Returns the partition that Java's default partitioner chooses; librdkafka calls it `murmur2`."""
    return _positive_hash(key) % partitions


def _positive_hash(key: bytes) -> int:
    return murmur2(key) & 0x7FFFFFFF


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
