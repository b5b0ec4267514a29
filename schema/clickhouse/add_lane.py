"""Creates the tables of one more lane on a server."""

from clickhouse_connect.driver.client import Client

from kit.settings import Settings
from schema.clickhouse.distributed import create_all_distributed
from schema.clickhouse.fields_rollup import create_fields, fields_table
from schema.clickhouse.minute_counts import drop_minute_counts
from schema.clickhouse.tables import table_name


def create_empty_lane(database: str, lane: int) -> tuple[str, ...]:
    """Returns the statements that create the tables of a lane, with the columns and the indexes of lane 0."""
    table = table_name(lane)
    return (
        f"CREATE TABLE IF NOT EXISTS {table} AS {table_name(0)}",
        # The first parts of the lane are small. Loaders add minute counts when the parts are large.
        drop_minute_counts(table),
        create_fields(database, fields_table(lane)),
    )


def create_local_tables(client: Client, database: str, lane: int) -> None:
    """Creates the tables of a lane that are missing, with the columns and the indexes of lane 0."""
    if client.command(f"EXISTS TABLE {table_name(lane)}"):
        client.command(create_fields(database, fields_table(lane)))
        return
    for statement in create_empty_lane(database, lane):
        client.command(statement)


def create_distributed_tables(client: Client, settings: Settings, lane: int) -> None:
    """Creates the lane's Distributed tables, if there are several shards. The server must have its local tables."""
    if settings.shards > 1:
        for statement in create_all_distributed(settings, (lane,)):
            client.command(statement)
