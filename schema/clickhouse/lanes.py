"""Which lanes there are, for those who have to touch every lane's table."""

from types import ModuleType

from clickhouse_connect.driver.client import Client

from schema.clickhouse.tables import LOG_TABLE, table_name


def lane_tables(op: ModuleType) -> tuple[str, ...]:
    """The log tables of all lanes, for a revision to loop over; `op` is alembic.op."""
    lanes: tuple[int, ...] = op.get_context().config.attributes["lanes"]
    return tuple(table_name(lane) for lane in lanes)


def existing_lanes(client: Client) -> tuple[int, ...]:
    """The lanes that have a log table in the client's database, rising."""
    rows = client.query(
        "SELECT toUInt32(substring(name, 6)) AS lane FROM system.tables"
        f" WHERE database = currentDatabase() AND match(name, '^{LOG_TABLE}$') ORDER BY lane"
    ).result_rows
    return tuple(int(lane) for (lane,) in rows)
