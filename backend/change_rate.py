"""Limits how often the keys of a tenant change what the control plane stores.

Each change is a transaction that waits for the one write lock of the control plane, and an entry of the audit log.
"""

from typing import Final

from cachetools import LRUCache

from kit.clock import Clock
from kit.errors import RateLimited
from kit.token_bucket import TokenBucket
from schema.control.models import Purpose

CHANGES_PER_SECOND: Final = 5.0
BURST_SECONDS: Final = 20.0
"""Size of the token bucket, in seconds: a tenant may make CHANGES_PER_SECOND * BURST_SECONDS changes at once."""

TENANTS: Final = 10_000
"""Largest number of pairs of tenant and purpose of keys whose changes are counted. The least recently used pair is
forgotten first, and may then make a burst again."""


class ChangeRate:
    """Counts the changes by each tenant's query and admin keys in this process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._buckets: LRUCache[tuple[int, Purpose], TokenBucket] = LRUCache(TENANTS)

    def count(self, tenant_id: int, purpose: Purpose) -> None:
        """Counts a change by a key of this purpose. Raises RateLimited if the tenant's keys of this purpose make too
        many changes.

        Purposes are counted apart, so that an admin key can revoke a query key that floods.
        """
        bucket = self._buckets.get((tenant_id, purpose))
        if bucket is None:
            bucket = TokenBucket(CHANGES_PER_SECOND, BURST_SECONDS, self._clock)
            self._buckets[tenant_id, purpose] = bucket
        if wait := bucket.wait():
            raise RateLimited(
                f"the {purpose} keys of this tenant may make {CHANGES_PER_SECOND:g} changes a second: send fewer",
                wait,
            )
        bucket.take(1)
