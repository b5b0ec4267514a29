"""Reads which tenant ids the log store has, for a control plane that may have forgotten tenants."""

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import connect, translate
from kit.settings import Settings
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.tables import table_name
from schema.usage import TABLE


def largest_tenant_id(settings: Settings) -> int:
    """Returns the largest tenant id of all rows of logs and usage on all servers, also of deleted and unknown tenants.
    Returns 0 without rows.

    Raises Unavailable if a server does not answer or its tables were not migrated.
    """
    largest = 0
    for place in settings.topology.places:
        try:
            with connect(settings.of_replica(place.replica), shard=place.shard) as client:
                largest = max(largest, _largest(client))
        except Error as error:
            raise translate(error) from error
    return largest


def _largest(client: Client) -> int:
    tables = [TABLE, *map(table_name, existing_lanes(client))]
    reads = " UNION ALL ".join(f"SELECT max(tenant_id) AS id FROM {table}" for table in tables)
    [(largest,)] = client.query(f"SELECT max(id) FROM ({reads})").result_rows
    return int(largest)
