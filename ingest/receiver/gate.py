"""Decides whether a tenant may send now, by its rates and its daily quota, before any costly work."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from kit.clock import Clock
from kit.errors import RateLimited
from kit.token_bucket import TokenBucket
from schema.control.directory import Tenant
from schema.control.limits import Limits

BURST_SECONDS = 5.0
"""Capacity of a tenant's token bucket, in seconds of its rate. SDKs send a batch every one to five seconds, not
evenly."""

MAX_RETRY_SECONDS = 900.0
"""Longest retry delay for senders, in seconds. Longer waits would be of no use, because an operator may raise the limit
meanwhile."""


class OverLimit(RateLimited):
    """The tenant exceeds the limit named `limit`."""

    def __init__(self, limit: "Limit", detail: str, retry_after: float) -> None:
        super().__init__(detail, min(retry_after, MAX_RETRY_SECONDS))
        self.limit = limit


class Limit(StrEnum):
    """The limits that the gate enforces, by their names in usage."""

    bytes_per_second = "bytes_per_second"
    records_per_second = "records_per_second"
    bytes_per_day = "bytes_per_day"


class Quota(Protocol):
    """The part of ingest.receiver.quota.DayQuota that the gate needs."""

    def sent_today(self, tenant_id: int) -> int: ...

    def seconds_left(self) -> float: ...


@dataclass(slots=True)
class _Buckets:
    """Token buckets of one tenant for these `limits`. If the limits change, new buckets replace them."""

    limits: Limits
    bytes: TokenBucket | None
    records: TokenBucket | None


class Gate:
    """Enforces tenants' rates and quotas in one receiver process. Each receiver admits its share of a tenant's
    rates."""

    def __init__(self, share: float, quota: Quota, clock: Clock) -> None:
        """`share` is the fraction of each rate that this process admits: 1.0 if it is the only receiver."""
        self._share = share
        self._quota = quota
        self._clock = clock
        self._tenants: dict[int, _Buckets] = {}

    def check(self, tenant: Tenant) -> None:
        """Raises OverLimit while one of the tenant's limits is used up. Takes no tokens."""
        limits = tenant.limits
        if limits.bytes_per_day is not None and self._quota.sent_today(tenant.id) >= limits.bytes_per_day:
            detail = (
                f"the tenant has sent {limits.bytes_per_day} bytes, its limit per UTC day: wait until 00:00 UTC, or "
                "ask the operator for a higher limit"
            )
            raise OverLimit(Limit.bytes_per_day, detail, self._quota.seconds_left())
        buckets = self._buckets(tenant)
        if buckets.bytes is not None and (wait := buckets.bytes.wait()):
            detail = (
                f"the tenant may send {limits.bytes_per_second} bytes a second and has sent more: send less, or ask "
                "the operator for a higher limit. A request counts as its decompressed size or as the cost of its "
                "rows, whichever is larger. Rows cost more if records have many short attributes, or share a large "
                "resource"
            )
            raise OverLimit(Limit.bytes_per_second, detail, wait)
        if buckets.records is not None and (wait := buckets.records.wait()):
            detail = (
                f"the tenant may send {limits.records_per_second} log records a second and has sent more: send less, "
                "or ask the operator for a higher limit"
            )
            raise OverLimit(Limit.records_per_second, detail, wait)

    def take_bytes(self, tenant: Tenant, size: int) -> None:
        """Takes tokens for decompressed bytes. Raises OverLimit if the tenant's other requests have emptied the bucket
        meanwhile."""
        self.check(tenant)
        self.charge(tenant, size)

    def charge(self, tenant: Tenant, size: int) -> None:
        """Takes tokens for bytes that have been decompressed already. Refuses nothing."""
        if (bucket := self._buckets(tenant).bytes) is not None:
            bucket.take(size)

    def take_rows(self, tenant: Tenant, size: int, cost: int) -> None:
        """Replaces the `size` bytes that were taken for a request by the `cost` of its rows, in bytes, if that is
        larger.

        Raises OverLimit if other requests of the tenant have emptied the bucket meanwhile, and then takes nothing more.
        """
        bucket = self._buckets(tenant).bytes
        if bucket is None or cost <= size:
            return
        bucket.take(-size)
        try:
            self.check(tenant)
        except OverLimit:
            bucket.take(size)
            raise
        bucket.take(cost)

    def take_records(self, tenant: Tenant, count: int) -> None:
        """Takes tokens for the records of a decoded request. If they exceed the limit, later requests wait."""
        if (bucket := self._buckets(tenant).records) is not None:
            bucket.take(count)

    def _buckets(self, tenant: Tenant) -> _Buckets:
        found = self._tenants.get(tenant.id)
        if found is None or found.limits != tenant.limits:
            limits = tenant.limits
            made = _Buckets(limits, self._bucket(limits.bytes_per_second), self._bucket(limits.records_per_second))
            found = self._tenants[tenant.id] = made
        return found

    def _bucket(self, rate: int | None) -> TokenBucket | None:
        return None if rate is None else TokenBucket(rate * self._share, BURST_SECONDS, self._clock)
