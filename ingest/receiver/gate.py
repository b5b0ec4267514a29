"""Decides whether a tenant may send now, by its rates and its daily quota, before anything costly is done."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ingest.receiver.bucket import TokenBucket
from kit.clock import Clock
from kit.errors import RateLimited
from schema.control.directory import Tenant
from schema.control.limits import Limits

BURST_SECONDS = 5.0
"""Seconds of its rate that a tenant may save up. SDKs send a batch every second or five, not a steady stream."""

MAX_RETRY_SECONDS = 900.0
"""The longest wait asked of a sender: an operator may raise the limit long before a day or a large debt is over."""


class OverLimit(RateLimited):
    """A tenant sends more than it may; `limit` is which of its limits."""

    def __init__(self, limit: "Limit", detail: str, retry_after: float) -> None:
        super().__init__(detail, min(retry_after, MAX_RETRY_SECONDS))
        self.limit = limit


class Limit(StrEnum):
    """The limits a tenant can have at the door, as usage names them."""

    bytes_per_second = "bytes_per_second"
    records_per_second = "records_per_second"
    bytes_per_day = "bytes_per_day"


class Quota(Protocol):
    """The part of ingest.receiver.quota.DayQuota that is needed here."""

    def sent_today(self, tenant_id: int) -> int: ...

    def seconds_left(self) -> float: ...


@dataclass(slots=True)
class _Buckets:
    """One tenant's, made for `limits`; other limits make new ones."""

    limits: Limits
    bytes: TokenBucket | None
    records: TokenBucket | None


class Gate:
    """One receiver process's gate. Each of an installation's receivers passes its share of a tenant's rates."""

    def __init__(self, share: float, quota: Quota, clock: Clock) -> None:
        """`share` is the part of each rate that passes here, 1.0 where this is the only receiver."""
        self._share = share
        self._quota = quota
        self._clock = clock
        self._tenants: dict[int, _Buckets] = {}

    def check(self, tenant: Tenant) -> None:
        """Raises OverLimit while the tenant has used up one of its limits. Takes nothing."""
        limits = tenant.limits
        if limits.bytes_per_day is not None and self._quota.sent_today(tenant.id) >= limits.bytes_per_day:
            detail = f"the tenant has sent {limits.bytes_per_day} bytes, its limit per UTC day"
            raise OverLimit(Limit.bytes_per_day, detail, self._quota.seconds_left())
        buckets = self._buckets(tenant)
        if buckets.bytes is not None and (wait := buckets.bytes.wait()):
            detail = (
                f"the tenant may send {limits.bytes_per_second} bytes a second and has sent more; many short "
                "attributes, or a large resource with many records, count as the cost of their rows; send less"
            )
            raise OverLimit(Limit.bytes_per_second, detail, wait)
        if buckets.records is not None and (wait := buckets.records.wait()):
            detail = f"the tenant may send {limits.records_per_second} log records a second and has sent more"
            raise OverLimit(Limit.records_per_second, detail, wait)

    def take_bytes(self, tenant: Tenant, size: int) -> None:
        """Takes decompressed bytes. Raises OverLimit when others of its requests have emptied the bucket meanwhile."""
        self.check(tenant)
        if (bucket := self._buckets(tenant).bytes) is not None:
            bucket.take(size)

    def take_rows(self, tenant: Tenant, size: int, cost: int) -> None:
        """Takes what the rows of a request cost, in bytes, beyond the `size` bytes that were taken for it.

        Raises OverLimit when other requests of the tenant have emptied the bucket meanwhile, and takes nothing more.
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
        """Takes the records of a decoded request. If they exceed the limit, later requests wait."""
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
