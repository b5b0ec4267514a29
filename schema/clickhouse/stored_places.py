"""Reads which lanes and cohorts have records of which tenants, for a control plane that may have forgotten moves."""

from collections.abc import Iterator
from itertools import chain

from clickhouse_connect.driver.client import Client

from kit.settings import Settings
from kit.topology import Place
from schema.clickhouse.every_server import read_every_server
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.tables import table_name
from schema.control.restored_places import StoredPlace


def read_stored_places(settings: Settings) -> frozenset[StoredPlace]:
    """Returns the lanes and cohorts of all rows of logs on all servers, also of deleted and unknown tenants. A place
    on several servers is returned once, with the oldest and the newest timestamp of all its rows.

    Raises Unavailable if a server does not answer or its tables were not migrated.
    """
    found = dict[tuple[int, int, str], StoredPlace]()
    for each in chain.from_iterable(read_every_server(settings, _of_server)):
        key = (each.tenant_id, each.lane, each.cohort)
        found[key] = _joined(each, found.get(key, each))
    return frozenset(found.values())


def _of_server(client: Client, _place: Place) -> list[StoredPlace]:
    return [each for lane in existing_lanes(client) for each in _of_lane(client, lane)]


def _of_lane(client: Client, lane: int) -> Iterator[StoredPlace]:
    rows = client.query(
        "SELECT tenant_id, cohort, toUnixTimestamp64Nano(min(timestamp)), toUnixTimestamp64Nano(max(timestamp))"
        f" FROM {table_name(lane)} GROUP BY tenant_id, cohort"
    ).result_rows
    for tenant_id, cohort, oldest_ns, newest_ns in rows:
        yield StoredPlace(int(tenant_id), lane, str(cohort), int(oldest_ns), int(newest_ns))


def _joined(one: StoredPlace, other: StoredPlace) -> StoredPlace:
    return one._replace(oldest_ns=min(one.oldest_ns, other.oldest_ns), newest_ns=max(one.newest_ns, other.newest_ns))
