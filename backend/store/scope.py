"""What a search may see at all. No statement over logs can be built without a Scope."""

from dataclasses import dataclass, replace
from typing import Final, Self

from backend.times import format_time
from kit.errors import InvalidRequest
from schema.clickhouse.distributed import readable_name
from schema.clickhouse.tables import table_name
from schema.control.directory import Tenant

DAY_NS: Final = 86_400 * 10**9


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start_ns` up to, not including, `end_ns`; nanoseconds since the Unix epoch."""

    start_ns: int
    end_ns: int

    def __post_init__(self) -> None:
        if self.start_ns >= self.end_ns:
            raise InvalidRequest(f"start {format_time(self.start_ns)} must be before end {format_time(self.end_ns)}")


@dataclass(frozen=True, slots=True)
class Scope:
    """One tenant's rows in one time range: the lanes and cohorts they may be in, over all shards."""

    tenant_id: int
    lanes: tuple[int, ...]
    cohorts: tuple[str, ...]
    time_range: TimeRange
    shards: int

    @property
    def table(self) -> str:
        """What to read FROM: a table, or a table function over those of several lanes. Keeps the sorting key's order.

        Made of numbers alone.
        """
        tables = [readable_name(table_name(lane), self.shards) for lane in self.lanes]
        return tables[0] if len(tables) == 1 else f"merge(currentDatabase(), '^({'|'.join(tables)})$')"

    @property
    def of_one_shard(self) -> Self:
        """What the scope has on the shard that is asked, of its own tables."""
        return replace(self, shards=1)


def whole_retention(tenant: Tenant, now_ns: int, future_seconds: int) -> TimeRange:
    """Every moment a record of the tenant may have: what a search without start and end covers."""
    days = max(tenant.retention_days, tenant.longest_retention_days)
    return TimeRange(max(0, now_ns - (days + 1) * DAY_NS), now_ns + (future_seconds + 1) * 10**9)


def scope_of(tenant: Tenant, time_range: TimeRange, shards: int) -> Scope:
    """The tenant's own scope over a time range, in a log store of so many shards."""
    return Scope(tenant.id, (tenant.lane,), tenant.cohorts, time_range, shards)
