"""Limits how often the keys of a tenant change what the control plane stores.

Each change is a transaction that waits for the one write lock of the control plane, and an entry of the audit log.
"""

from typing import Final

from cachetools import LRUCache

from kit.clock import Clock
from kit.errors import RateLimited
from kit.token_bucket import TokenBucket

CHANGES_PER_SECOND: Final = 5.0
BURST_SECONDS: Final = 20.0
"""A tenant may make CHANGES_PER_SECOND * BURST_SECONDS changes at once."""

TENANTS: Final = 10_000
"""Number of tenants that are remembered. A tenant that is forgotten may make a burst again."""


class ChangeRate:
    """Counts the changes by each tenant's query and admin keys in this process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._buckets: LRUCache[int, TokenBucket] = LRUCache(TENANTS)

    def count(self, tenant_id: int) -> None:
        """Counts a change. Raises RateLimited if the tenant makes too many."""
        bucket = self._buckets.get(tenant_id)
        if bucket is None:
            bucket = self._buckets[tenant_id] = TokenBucket(CHANGES_PER_SECOND, BURST_SECONDS, self._clock)
        if wait := bucket.wait():
            raise RateLimited(
                f"this tenant's keys may make {CHANGES_PER_SECOND:g} changes a second: send fewer",
                wait,
            )
        bucket.take(1)
