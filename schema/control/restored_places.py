"""Adds later moves of tenants to a control plane that was restored from a backup and lacks them.

A search reads only the lanes and cohorts that the control plane has for its tenant.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from sqlalchemy import insert, select

from kit.clock import DAY_NS
from schema.control.changes import Change
from schema.control.models import Lane, TenantRow
from schema.control.tenant_lanes import PlacedSince, lanes_at, last_lane, next_since, place, read_placed

UNTOUCHED_DAYS: Final = 30
"""Days in which retention deletes no log of a cohort whose retention the control plane lacked. The operator repeats the
changes of retention meanwhile."""

_SHARED: Final = re.compile(r"r([1-9]\d{0,3})")
"""Names of the cohorts that tenants share: `r` and the days of their retention."""


class StoredPlace(NamedTuple):
    """A lane and a cohort that have records of a tenant, with the timestamps of the oldest and the newest record, in
    nanoseconds since the Unix epoch, and the shards that have such records."""

    tenant_id: int
    lane: int
    cohort: str
    oldest_ns: int
    newest_ns: int
    shards: frozenset[int] = frozenset()


class RestoredPlace(NamedTuple):
    """A lane and a cohort in which searches did not find all records of a tenant, and the cohort's retention in days.

    `chosen` is true if neither the control plane nor the cohort's name has the retention. Then `retention_days` is the
    age of the cohort's oldest record in UTC days plus UNTOUCHED_DAYS, or the tenant's largest retention if that is
    larger.
    """

    tenant: str
    lane: int
    cohort: str
    retention_days: int
    chosen: bool = False


async def restore_places(change: Change, stored: Collection[StoredPlace], longest_delay_ns: int) -> list[RestoredPlace]:
    """Lets searches read all lanes and cohorts in `stored`. Returns those in which searches did not find all records.

    A record's timestamp is at most `longest_delay_ns` later than the end of its lane's use. The tenants' new records go
    where they went before. Leaves out deleted and unknown tenants.
    """
    connection = change.connection
    live = select(TenantRow.id, TenantRow.name, TenantRow.lane).where(TenantRow.deleted_at_ns.is_(None))
    placed, found = await read_placed(connection), _by_tenant(stored)
    oldest_ns = _oldest_ns(stored)
    restored = list[RestoredPlace]()
    for tenant_id, name, first in (await connection.execute(live.order_by(TenantRow.id))).all():
        lanes = lanes_at(change.now_ns, first, placed[tenant_id])
        cohorts = {each.cohort for each in placed[tenant_id]}
        missing = [
            each
            for each in found[tenant_id]
            if each.cohort not in cohorts or each.lane not in lanes.of_records_since(each.newest_ns, longest_delay_ns)
        ]
        if not missing:
            continue
        places = [
            _restored(name, each, placed[tenant_id], change.now_ns // DAY_NS - oldest_ns[each.cohort] // DAY_NS)
            for each in missing
        ]
        await _add_lanes(change, {each.lane for each in missing})
        await _insert(change, tenant_id, first, placed[tenant_id], places)
        restored += places
    return restored


def _by_tenant(stored: Collection[StoredPlace]) -> defaultdict[int, list[StoredPlace]]:
    found = defaultdict[int, list[StoredPlace]](list)
    for each in sorted(stored):
        found[each.tenant_id].append(each)
    return found


def _oldest_ns(stored: Collection[StoredPlace]) -> dict[str, int]:
    """Returns the timestamp of each cohort's oldest record. Retention is decided for a cohort in all lanes."""
    found = dict[str, int]()
    for each in stored:
        found[each.cohort] = min(each.oldest_ns, found.get(each.cohort, each.oldest_ns))
    return found


def _restored(tenant: str, stored: StoredPlace, placed: Sequence[PlacedSince], oldest_days: int) -> RestoredPlace:
    """Returns the place with the retention of its cohort. `oldest_days` is the age of the cohort's oldest record in UTC
    days."""
    if shared := _SHARED.fullmatch(stored.cohort):
        return RestoredPlace(tenant, stored.lane, stored.cohort, int(shared[1]))
    if known := [each.retention_days for each in placed if each.cohort == stored.cohort]:
        return RestoredPlace(tenant, stored.lane, stored.cohort, max(known))
    largest = max(each.retention_days for each in placed)
    # A shorter retention than the lost one would delete records that are safe while the cohort is unknown.
    return RestoredPlace(tenant, stored.lane, stored.cohort, max(oldest_days + UNTOUCHED_DAYS, largest), chosen=True)


async def _insert(
    change: Change, tenant_id: int, first: int, placed: Sequence[PlacedSince], places: Sequence[RestoredPlace]
) -> None:
    """Writes each place as a move for one nanosecond, and after them a move back to the place that was set last.

    A search reads a former lane only for records from before the end of the lane's use. So the moves begin now or
    later, and not in the past.
    """
    last = placed[-1]._replace(lane=last_lane(first, placed))
    since_ns = next_since(last, change.now_ns)
    for number, each in enumerate(places):
        moved = PlacedSince(since_ns + number, each.cohort, each.retention_days, each.lane)
        await place(change.connection, tenant_id, moved)
        after = {"cohort": each.cohort, "retention_days": each.retention_days, "lane": each.lane}
        await change.note("tenant.restore", (tenant_id, each.tenant), after=after)
    await place(change.connection, tenant_id, last._replace(since_ns=since_ns + len(places)))


async def _add_lanes(change: Change, lanes: Collection[int]) -> None:
    """Adds lanes that loaders created after the backup."""
    known = set(await change.connection.scalars(select(Lane.number)))
    if missing := sorted(set(lanes) - known):
        await change.connection.execute(insert(Lane), [{"number": each} for each in missing])
        await change.note("lane.create", None, after={"lanes": missing})
