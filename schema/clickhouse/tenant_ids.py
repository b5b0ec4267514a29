"""Reads which tenant ids the log store has, for a control plane that may have forgotten tenants."""

from clickhouse_connect.driver.client import Client

from kit.settings import Settings
from kit.topology import Place
from schema.clickhouse.every_server import read_every_server
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.tables import table_name
from schema.usage import TABLE


def largest_tenant_id(settings: Settings) -> int:
    """Returns the largest tenant id of all rows of logs and usage on all servers, also of deleted and unknown tenants.
    Returns 0 without rows.

    Raises Unavailable if a server does not answer or its tables were not migrated.
    """
    return max(read_every_server(settings, _largest))


def _largest(client: Client, _place: Place) -> int:
    tables = [TABLE, *map(table_name, existing_lanes(client))]
    reads = " UNION ALL ".join(f"SELECT max(tenant_id) AS id FROM {table}" for table in tables)
    [(largest,)] = client.query(f"SELECT max(id) FROM ({reads})").result_rows
    return int(largest)
