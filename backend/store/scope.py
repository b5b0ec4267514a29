"""Scopes: the rows of one tenant in one time range. Every statement over tenants' rows is made from a scope."""

from dataclasses import dataclass, replace
from typing import Final, Self

from backend.times import format_time
from kit.clock import DAY_NS, Clock
from kit.errors import InvalidRequest, Unavailable
from kit.settings import Settings
from schema.control.directory import Tenant
from schema.control.tenant_shards import EVERY_SHARD

LATE_RECEIVER_NS: Final = DAY_NS
"""Longest time, in nanoseconds, for which a receiver that cannot read the control plane may send a tenant's records to
the lane that the tenant has left. Searches that begin later no longer read that lane."""

_RESTART_SECONDS: Final = 10.0
"""Seconds after which a client should repeat a request that needs a shard which this process does not know."""


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A time range from `start_ns`, inclusive, to `end_ns`, exclusive, in nanoseconds since the Unix epoch."""

    start_ns: int
    end_ns: int

    def __post_init__(self) -> None:
        if self.start_ns >= self.end_ns:
            raise InvalidRequest(
                f"start {format_time(self.start_ns)} must be before end {format_time(self.end_ns)}: give an earlier "
                "start or a later end"
            )


@dataclass(frozen=True, slots=True)
class OpenRange:
    """A time range as requested. A bound that is None stands for the same bound of the tenant's retention."""

    start_ns: int | None = None
    end_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """One tenant's rows in one time range. Names the lanes, cohorts and shards that can have them."""

    tenant_id: int
    lanes: tuple[int, ...]
    cohorts: tuple[str, ...]
    """Cohorts that can have the rows. Empty if every cohort can."""
    time_range: TimeRange
    shards: tuple[int, ...] = (0,)
    """Number of the one shard that can have the rows, or the numbers of all shards. A statement over one shard reads
    that shard's own tables, a statement over all shards the Distributed tables. Pages are read from each table alone
    (backend/store/each_table.py)."""

    @property
    def of_each_table(self) -> tuple[Self, ...]:
        """The scope over each of its log tables alone: one for each lane on each shard."""
        return tuple(replace(self, shards=(shard,), lanes=(lane,)) for shard in self.shards for lane in self.lanes)


class Scopes:
    """Makes the scopes of tenants."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._shards = tuple(range(settings.shards))
        self._future_seconds = settings.future_tolerance_seconds
        self._clock = clock

    def retention(self, tenant: Tenant) -> TimeRange:
        """Returns the range of all times that a record of the tenant may have now."""
        return whole_retention(tenant, self._clock.now_ns(), self._future_seconds)

    def range(self, tenant: Tenant, requested: OpenRange) -> TimeRange:
        """Returns the requested range, with the bounds of the retention in place of bounds that are None.

        Raises InvalidRequest if it is empty.
        """
        everything, start_ns, end_ns = self.retention(tenant), requested.start_ns, requested.end_ns
        # The error names only the ends that the request has.
        if start_ns is None and end_ns is not None and end_ns <= everything.start_ns:
            raise InvalidRequest(
                f"end is {format_time(end_ns)}, but no logs before {format_time(everything.start_ns)} are kept: give a "
                "later end"
            )
        if end_ns is None and start_ns is not None and start_ns >= everything.end_ns:
            raise InvalidRequest(
                f"start is {format_time(start_ns)}, but no logs from {format_time(everything.end_ns)} on are accepted "
                "yet: give an earlier start"
            )
        return TimeRange(
            everything.start_ns if start_ns is None else start_ns, everything.end_ns if end_ns is None else end_ns
        )

    def of(self, tenant: Tenant, time_range: TimeRange) -> Scope:
        """Returns the tenant's scope over a time range.

        Raises Unavailable if a loader recorded a shard of the tenant that the settings of this process do not name.
        """
        lanes = tenant.lanes.of_records_since(time_range.start_ns, longest_delay_ns(self._future_seconds))
        return Scope(tenant.id, lanes, tenant.cohorts, time_range, self.shards(tenant))

    def shards(self, tenant: Tenant) -> tuple[int, ...]:
        """Returns the shards that statements of the tenant read: the one that has its records, or all.

        Raises Unavailable if a loader recorded a shard of the tenant that the settings of this process do not name.
        """
        recorded = tuple(sorted(tenant.shards - {EVERY_SHARD}))
        if unknown := [shard for shard in recorded if shard not in self._shards]:
            raise Unavailable(_unknown_shard(unknown[0]), retry_after=_RESTART_SECONDS)
        # Counts over several shards read Distributed tables, which ask every shard.
        return recorded if len(recorded) == 1 and EVERY_SHARD not in tenant.shards else self._shards


def longest_delay_ns(future_seconds: int) -> int:
    """Returns the longest time, in nanoseconds, by which the timestamp of a record in a lane may be later than the end
    of its tenant's use of the lane."""
    return future_seconds * 10**9 + LATE_RECEIVER_NS


def whole_retention(tenant: Tenant, now_ns: int, future_seconds: int) -> TimeRange:
    """Returns the range of all times that a record of the tenant may have at `now_ns`.

    It includes records that arrived before the tenant shortened its retention. It excludes days that the tenant may not
    keep because disks are full.
    """
    days = max(tenant.retention_days, tenant.longest_retention_days)
    # The disks always let a tenant keep at least the current day.
    start_ns = max(0, now_ns - (days + 1) * DAY_NS, tenant.kept_from_day * DAY_NS)
    return TimeRange(start_ns, now_ns + (future_seconds + 1) * 10**9)


def _unknown_shard(shard: int) -> str:
    return (
        f"this tenant has records on shard {shard}, which the LOGSIEVE_CLICKHOUSE_URL of this process does not name:"
        " restart the process with the LOGSIEVE_CLICKHOUSE_URL that names all shards"
    )
