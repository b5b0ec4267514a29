"""Adds lanes and cohorts of tenants to a control plane that was restored from a backup, and lacks later moves.

A search reads only the lanes and cohorts that the control plane has for its tenant.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from sqlalchemy import insert, select

from schema.control.changes import Change
from schema.control.models import Lane, TenantRow
from schema.control.tenant_lanes import PlacedSince, last_lane, next_since, place, read_placed

_SHARED: Final = re.compile(r"r([1-9]\d{0,3})")
"""Names of the cohorts that tenants share: `r` and the days of their retention."""


class StoredPlace(NamedTuple):
    """A lane and a cohort that have records of a tenant."""

    tenant_id: int
    lane: int
    cohort: str


class RestoredPlace(NamedTuple):
    """A lane and a cohort that the control plane lacked for a tenant. `retention_days` are those of the cohort, or the
    largest of the tenant if the name of the cohort has none."""

    tenant: str
    lane: int
    cohort: str
    retention_days: int


async def restore_places(change: Change, stored: Collection[StoredPlace]) -> list[RestoredPlace]:
    """Lets searches read all lanes and cohorts in `stored`. Returns those that the control plane lacked.

    The tenants' new records go where they went before. Leaves out deleted and unknown tenants.
    """
    connection = change.connection
    live = select(TenantRow.id, TenantRow.name, TenantRow.lane).where(TenantRow.deleted_at_ns.is_(None))
    placed, found = await read_placed(connection), _by_tenant(stored)
    restored = list[RestoredPlace]()
    for tenant_id, name, first in (await connection.execute(live.order_by(TenantRow.id))).all():
        missing = _missing(found[tenant_id], first, placed[tenant_id])
        if not missing:
            continue
        places = [RestoredPlace(name, each.lane, each.cohort, _days(each, placed[tenant_id])) for each in missing]
        await _add_lanes(change, {each.lane for each in missing})
        await _insert(change, tenant_id, first, placed[tenant_id], places)
        restored += places
    return restored


def _by_tenant(stored: Collection[StoredPlace]) -> defaultdict[int, list[StoredPlace]]:
    found = defaultdict[int, list[StoredPlace]](list)
    for each in sorted(stored):
        found[each.tenant_id].append(each)
    return found


def _missing(stored: Sequence[StoredPlace], first: int, placed: Sequence[PlacedSince]) -> list[StoredPlace]:
    """Returns the places whose lane or cohort the tenant does not have."""
    lanes, cohorts = {first, *(each.lane for each in placed)}, {each.cohort for each in placed}
    return [each for each in stored if each.lane not in lanes or each.cohort not in cohorts]


def _days(stored: StoredPlace, placed: Sequence[PlacedSince]) -> int:
    shared = _SHARED.fullmatch(stored.cohort)
    return int(shared[1]) if shared else max(each.retention_days for each in placed)


async def _insert(
    change: Change, tenant_id: int, first: int, placed: Sequence[PlacedSince], places: Sequence[RestoredPlace]
) -> None:
    """Writes the places as moves of a nanosecond each, and then a move back to the place that was set last.

    A former lane is searched for records from before the end of its use, so its use must not end in the past.
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
