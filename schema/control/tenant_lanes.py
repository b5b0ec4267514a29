"""Lanes of a tenant over time: of its new records, of its earlier records, and of its records after planned moves."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Self

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from schema.control.models import TenantCohort, TenantRow

ANNOUNCE_NS: Final = 10 * 10**9
"""Nanoseconds between the write of a move and its beginning.

Backends must know the new lane and cohort before a receiver sends a record there, or they would not search them. Both
read the control plane at least every 5 s.
"""


class PlacedSince(NamedTuple):
    """Lane, cohort and retention of a tenant's records from `since_ns` on: a row of the table `tenant_cohort`. A `lane`
    of None stands for the previous row's lane."""

    since_ns: int
    cohort: str
    retention_days: int
    lane: int | None


@dataclass(frozen=True, slots=True)
class FormerLane:
    """A lane to which receivers sent a tenant's records until `until_ns`, in nanoseconds since the Unix epoch."""

    number: int
    until_ns: int


@dataclass(frozen=True, slots=True)
class TenantLanes:
    """Lanes of a tenant at one moment: of new records, of records after planned moves, and of earlier records.

    In an old copy of the control plane, `planned` has every lane, because the tenant may have been moved since.
    """

    current: int
    planned: tuple[int, ...] = ()
    former: tuple[FormerLane, ...] = ()

    def of_records_since(self, start_ns: int, longest_delay_ns: int) -> tuple[int, ...]:
        """Returns the lanes that may have records with timestamps of `start_ns` or later, in ascending order.

        A record's timestamp is at most `longest_delay_ns` later than the end of its lane's use.
        """
        left = (each.number for each in self.former if start_ns < each.until_ns + longest_delay_ns)
        return tuple(sorted({self.current, *self.planned, *left}))

    def ended(self, until_ns: int, following: int) -> Self:
        """Returns the lanes after a move from the current lane to the lane `following` at `until_ns`."""
        if following == self.current:
            return self
        return replace(self, current=following, former=(*self.former, FormerLane(self.current, until_ns)))


@dataclass(frozen=True, slots=True)
class TenantPlace:
    """Lane and cohort of a tenant that were set last, even if the move there has not begun."""

    tenant_id: int
    name: str
    lane: int
    cohort: str


def begun(now_ns: int, placed: Sequence[PlacedSince]) -> Sequence[PlacedSince]:
    """Returns the places that are or were in force at `now_ns`. `placed` is ordered by time.

    The first place has always begun, because the clock of the host that created the tenant may be ahead.
    """
    return [each for each in placed if each.since_ns <= now_ns] or placed[:1]


def lanes_at(now_ns: int, first: int, placed: Sequence[PlacedSince]) -> TenantLanes:
    """Returns a tenant's lanes at `now_ns`. `first` is the lane of its first records; `placed` is ordered by time."""
    lanes, past = TenantLanes(first), begun(now_ns, placed)
    for each in past:
        if each.lane is not None:
            lanes = lanes.ended(each.since_ns, each.lane)
    planned = (each.lane for each in placed[len(past) :] if each.lane is not None)
    return replace(lanes, planned=tuple(planned))


def last_lane(first: int, placed: Iterable[PlacedSince]) -> int:
    """Returns the lane that was set last, even if the move there has not begun."""
    return next((each.lane for each in reversed([*placed]) if each.lane is not None), first)


async def read_placed(
    connection: AsyncConnection, only: Collection[int] | None = None
) -> defaultdict[int, list[PlacedSince]]:
    """Reads where the records of these tenants go, or those of all tenants, ordered by time. Has an empty list for a
    tenant without rows."""
    query = select(
        TenantCohort.tenant_id,
        TenantCohort.since_ns,
        TenantCohort.cohort,
        TenantCohort.retention_days,
        TenantCohort.lane,
    ).order_by(TenantCohort.tenant_id, TenantCohort.since_ns)
    if only is not None:
        query = query.where(TenantCohort.tenant_id.in_(only))
    found: defaultdict[int, list[PlacedSince]] = defaultdict(list)
    for tenant_id, since_ns, cohort, retention_days, lane in await connection.execute(query):
        found[tenant_id].append(PlacedSince(since_ns, cohort, retention_days, lane))
    return found


async def read_places(connection: AsyncConnection, only: Collection[int] | None = None) -> list[TenantPlace]:
    """Reads the places of these tenants, or of all, ordered by id. Leaves out deleted tenants."""
    placed = await read_placed(connection, only)
    query = select(TenantRow.id, TenantRow.name, TenantRow.lane).where(TenantRow.deleted_at_ns.is_(None))
    rows = await connection.execute(query.order_by(TenantRow.id))
    return [
        TenantPlace(row.id, row.name, last_lane(row.lane, placed[row.id]), placed[row.id][-1].cohort)
        for row in rows
        if row.id in placed
    ]


async def place(connection: AsyncConnection, tenant_id: int, placed: PlacedSince) -> None:
    """Sends the tenant's records to another cohort, and to another lane if one is given, from `since_ns` on."""
    await connection.execute(insert(TenantCohort).values(tenant_id=tenant_id, **placed._asdict()))


def next_since(last: PlacedSince, now_ns: int) -> int:
    """Returns the time, in nanoseconds since the Unix epoch, from which a place that is set at `now_ns` is in force.

    `last` is the place that was set before it. The new place begins later than `last`, even if the clock of the host
    that set `last` is ahead.
    """
    return max(now_ns + ANNOUNCE_NS, last.since_ns + 1)
