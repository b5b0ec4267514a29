"""Reads which lanes and cohorts have records of which tenants, for a control plane that may have forgotten moves."""

from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import connect, translate
from kit.settings import Settings
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.tables import table_name
from schema.control.restored_places import StoredPlace


def read_stored_places(settings: Settings) -> frozenset[StoredPlace]:
    """Returns the lanes and cohorts of all rows of logs on all servers, also of deleted and unknown tenants.

    Raises Unavailable if a server does not answer or its tables were not migrated.
    """
    found = set[StoredPlace]()
    for place in settings.topology.places:
        try:
            with connect(settings.of_replica(place.replica), shard=place.shard) as client:
                for lane in existing_lanes(client):
                    rows = client.query(f"SELECT DISTINCT tenant_id, cohort FROM {table_name(lane)}").result_rows
                    found.update(StoredPlace(int(tenant), lane, str(cohort)) for tenant, cohort in rows)
        except Error as error:
            raise translate(error) from error
    return frozenset(found)
