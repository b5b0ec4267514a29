"""Reads which lanes, cohorts and shards have records of which tenants, for a control plane that may lack some."""

from collections.abc import Callable, Iterator
from itertools import chain, count

from clickhouse_connect.driver.client import Client

from kit.settings import Settings
from kit.topology import Place
from schema.clickhouse.every_server import read_every_server
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.tables import table_name
from schema.control.restored_places import StoredPlace


def read_stored_places(settings: Settings, say: Callable[[str], None] = lambda _: None) -> frozenset[StoredPlace]:
    """Returns the lanes and cohorts of all rows of logs on all servers, also of deleted and unknown tenants. A place
    on several servers is returned once, with the oldest and the newest timestamp of all its rows, and their shards.

    `say` receives a sentence before each table, because the time is proportional to the number of rows. Raises
    Unavailable if a server does not answer or its tables were not migrated.
    """
    found = dict[tuple[int, int, str], StoredPlace]()
    servers, numbers = len(settings.topology.places), count(1)

    def of_server(client: Client, place: Place) -> list[StoredPlace]:
        lanes, server = existing_lanes(client), next(numbers)
        places = list[StoredPlace]()
        for number, lane in enumerate(lanes, 1):
            say(f"reading log table {number} of {len(lanes)} on ClickHouse server {server} of {servers}")
            places += _of_lane(client, lane, place.shard)
        return places

    for each in chain.from_iterable(read_every_server(settings, of_server)):
        key = (each.tenant_id, each.lane, each.cohort)
        found[key] = _joined(each, found.get(key, each))
    return frozenset(found.values())


def _of_lane(client: Client, lane: int, shard: int) -> Iterator[StoredPlace]:
    rows = client.query(
        "SELECT tenant_id, cohort, toUnixTimestamp64Nano(min(timestamp)), toUnixTimestamp64Nano(max(timestamp))"
        f" FROM {table_name(lane)} GROUP BY tenant_id, cohort"
    ).result_rows
    for tenant_id, cohort, oldest_ns, newest_ns in rows:
        yield StoredPlace(int(tenant_id), lane, str(cohort), int(oldest_ns), int(newest_ns), frozenset({shard}))


def _joined(one: StoredPlace, other: StoredPlace) -> StoredPlace:
    return one._replace(
        oldest_ns=min(one.oldest_ns, other.oldest_ns),
        newest_ns=max(one.newest_ns, other.newest_ns),
        shards=one.shards | other.shards,
    )
