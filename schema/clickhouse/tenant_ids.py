"""Reads which tenant ids the counts of usage have, for a control plane that may have forgotten tenants."""

from clickhouse_connect.driver.client import Client

from kit.settings import Settings
from kit.topology import Place
from schema.clickhouse.every_server import read_every_server
from schema.usage import TABLE


def largest_counted_id(settings: Settings) -> int:
    """Returns the largest tenant id of the counts of usage on all servers, also of deleted and unknown tenants. Returns
    0 without counts.

    Raises Unavailable if a server does not answer or its tables were not migrated.
    """
    return max(read_every_server(settings, _largest))


def _largest(client: Client, _place: Place) -> int:
    [(largest,)] = client.query(f"SELECT max(tenant_id) FROM {TABLE}").result_rows
    return int(largest)
