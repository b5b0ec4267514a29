"""Lists the lanes, for code that changes every lane's table."""

from types import ModuleType

from clickhouse_connect.driver.client import Client

from schema.clickhouse.tables import LOG_TABLE, table_name


def lane_tables(op: ModuleType) -> tuple[str, ...]:
    """Returns the log tables of all lanes, for a revision to loop over; `op` is alembic.op."""
    lanes: tuple[int, ...] = op.get_context().config.attributes["lanes"]
    return tuple(table_name(lane) for lane in lanes)


def existing_lanes(client: Client) -> tuple[int, ...]:
    """Returns the lanes that have a log table in the client's database, in ascending order."""
    rows = client.query(
        "SELECT toUInt32(substring(name, 6)) AS lane FROM system.tables"
        f" WHERE database = currentDatabase() AND match(name, '^{LOG_TABLE}$') ORDER BY lane"
    ).result_rows
    return tuple(int(lane) for (lane,) in rows)
