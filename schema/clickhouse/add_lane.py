"""Creates the tables of one more lane on a server."""

from clickhouse_connect.driver.client import Client

from kit.settings import Settings
from schema.clickhouse.distributed import create_all_distributed
from schema.clickhouse.fields_rollup import create_fields, fields_table
from schema.clickhouse.tables import table_name


def create_local_tables(client: Client, database: str, lane: int) -> None:
    """Creates the tables of a lane that are missing, with the columns and the indexes of lane 0."""
    client.command(f"CREATE TABLE IF NOT EXISTS {table_name(lane)} AS {table_name(0)}")
    client.command(create_fields(database, fields_table(lane)))


def create_distributed_tables(client: Client, settings: Settings, lane: int) -> None:
    """Creates the lane's Distributed tables, if there are several shards. The server must have its local tables."""
    if settings.shards > 1:
        for statement in create_all_distributed(settings, (lane,)):
            client.command(statement)
