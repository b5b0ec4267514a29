"""Counts the parts of each cohort in the log tables of a server."""

from clickhouse_connect.driver.client import Client

from ingest.lanes.plan import Group
from schema.clickhouse.tables import LOG_TABLE


def read_parts(client: Client) -> dict[Group, int]:
    """Returns the number of active parts of each cohort on each lane. Raises clickhouse-connect's Error."""
    rows = client.query(
        "SELECT toUInt32(substring(table, 6)), splitByChar('\\'', partition)[2] AS cohort, count() FROM system.parts"
        f" WHERE database = currentDatabase() AND match(table, '^{LOG_TABLE}$') AND active GROUP BY table, cohort"
    ).result_rows
    return {Group(int(lane), str(cohort)): int(count) for lane, cohort, count in rows}
