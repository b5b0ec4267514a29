"""Limits how often the keys of a tenant change what the control plane stores.

Each change is a transaction that waits for the one write lock of the control plane, and an entry of the audit log.
"""

from typing import Final, NamedTuple

from cachetools import LRUCache

from kit.clock import Clock
from kit.errors import RateLimited
from kit.token_bucket import TokenBucket
from schema.control.models import Purpose

CHANGES_PER_SECOND: Final = 5.0
BURST_SECONDS: Final = 20.0
"""Size of the token bucket, in seconds: a tenant may make CHANGES_PER_SECOND * BURST_SECONDS changes at once."""

CHANGES_PER_DAY: Final = 10_000
"""Changes that the keys of a tenant may make in 24 hours on average. Without this limit, entries of the audit log could
fill the disk of the control plane, because they are kept for more than a year."""

_DAY_SECONDS: Final = 86_400

TENANTS: Final = 10_000
"""Largest number of pairs of tenant and purpose of keys whose changes are counted. The least recently used pair is
forgotten first, and may then make a burst again."""


class _Limit(NamedTuple):
    bucket: TokenBucket
    shown: str


class ChangeRate:
    """Counts the changes by each tenant's query and admin keys in this process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._limits: LRUCache[tuple[int, Purpose], tuple[_Limit, ...]] = LRUCache(TENANTS)

    def count(self, tenant_id: int, purpose: Purpose) -> None:
        """Counts a change by a key of this purpose. Raises RateLimited if the tenant's keys of this purpose make too
        many changes.

        Purposes are counted apart, so that an admin key can revoke a query key that floods.
        """
        limits = self._limits.get((tenant_id, purpose))
        if limits is None:
            limits = self._limits[tenant_id, purpose] = self._new_limits()
        for limit in limits:
            if wait := limit.bucket.wait():
                raise RateLimited(f"the {purpose} keys of this tenant may make {limit.shown}: send fewer changes", wait)
        for limit in limits:
            limit.bucket.take(1)

    def _new_limits(self) -> tuple[_Limit, ...]:
        return (
            _Limit(
                TokenBucket(CHANGES_PER_SECOND, BURST_SECONDS, self._clock), f"{CHANGES_PER_SECOND:g} changes a second"
            ),
            _Limit(
                TokenBucket(CHANGES_PER_DAY / _DAY_SECONDS, _DAY_SECONDS, self._clock),
                f"{CHANGES_PER_DAY:,} changes a day",
            ),
        )
