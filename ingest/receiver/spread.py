"""Chooses how many partitions a tenant's messages use: one, unless the tenant is too big for one."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from kit.clock import Clock
from schema.tenant_partitions import tenant_key

WINDOW_SECONDS = 10.0
"""Length in seconds of the windows in which a tenant's rate is measured. The larger rate of the last two windows
counts."""


@dataclass(slots=True)
class _Rate:
    """Rate of a tenant. `size` is the bytes that it has sent in the window number `window`, `ways` the number of Kafka
    keys for its rate in this window, `last_ways` that for its rate in the window before."""

    window: int
    size: int = 0
    ways: int = 1
    last_ways: int = 1


class Spread:
    """Keeps each small tenant in one partition, so that a batch holds few tenants and an insert few table partitions.

    A tenant gets one more key for each multiple of `bytes_per_second` that it sends, up to the number of keys that it
    may have. Kafka's partitioner may map each key to a different partition. The partition affects only the ids of a
    message's rows and, if there are several shards, their shard.
    """

    def __init__(
        self, bytes_per_second: int, allowed: Callable[[int], int], clock: Clock, randomness: random.Random
    ) -> None:
        """`allowed` returns the largest number of keys that the tenant of an id may have now."""
        self._allowed = allowed
        self._window_bytes = bytes_per_second * WINDOW_SECONDS
        self._clock = clock
        self._random = randomness
        self._rates: dict[int, _Rate] = {}

    def only_key(self, tenant_id: int) -> bytes | None:
        """Returns the key of the tenant's messages, or None if it sends so much that it may have several."""
        rate = self._rates.get(tenant_id)
        return tenant_key(tenant_id, 0) if rate is None or max(rate.ways, rate.last_ways) == 1 else None

    def key(self, tenant_id: int, size: int) -> bytes:
        """Returns the key of the tenant's next message, which has `size` bytes."""
        window = int(self._clock.monotonic() // WINDOW_SECONDS)
        rate = self._rates.setdefault(tenant_id, _Rate(window))
        if rate.window != window:
            rate.last_ways = rate.ways if rate.window == window - 1 else 1
            rate.window, rate.size, rate.ways = window, 0, 1
        rate.size += size
        rate.ways = 1 + int(rate.size // self._window_bytes)
        wanted = max(rate.ways, rate.last_ways)
        if wanted == 1:
            return tenant_key(tenant_id, 0)
        return tenant_key(tenant_id, self._random.randrange(min(wanted, self._allowed(tenant_id))))
