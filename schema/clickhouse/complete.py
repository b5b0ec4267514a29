"""The mark of a replica that has all logs of its shard: an empty table, without which searches do not read it.

A new server, and a server that lost its disk, have neither rows nor the mark. The offsets of its loaders do not show
that rows are missing, because Kafka may have deleted messages before the server was added.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    # Imported only for types: the stack needs the table's name and never connects, and importing the client is slow.
    from clickhouse_connect.driver.client import Client

COMPLETE: Final = "complete_replica"
"""Name of the table. It exists only where shards have several replicas."""

_ROWS: Final = (
    "SELECT sum(rows) FROM system.parts WHERE database = {database:String} AND active AND match(table, '^logs_')"
)
_TABLES: Final = "SELECT count() FROM system.tables WHERE database = {database:String} AND match(name, '^logs_')"


def fill_command(replica: int, source: object, shard: int, shards: int) -> str:
    """Returns the command that fills one replica of a shard from the replica `source`. `shards` is the number of all
    shards: with several, the command names the shard, because other shards of the replica may be complete."""
    only = f" --shard {shard}" if shards > 1 else ""
    return f"logsieve replica fill {replica} --from {source}{only}"


def create_complete(database: str | None = None) -> str:
    """Returns the statement that marks a server as complete: it creates the table. `database` is the client's own one
    by default. The table has `tenant_id` because the user of searches may only read tables with this column."""
    return f"CREATE TABLE IF NOT EXISTS {_table(database)} (tenant_id UInt32) ENGINE = Null"


def is_complete(client: "Client", database: str | None = None) -> bool:
    """Returns whether searches may read the server. `database` is the client's own one by default; it need not
    exist."""
    return bool(client.command(f"EXISTS TABLE {_table(database)}"))


def mark_complete(client: "Client", database: str | None = None) -> None:
    """Marks the server as complete, so that searches may read it. `database` is the client's own one by default."""
    client.command(create_complete(database))


def unmark_complete(client: "Client") -> None:
    """Removes the mark, so that searches do not read the server."""
    client.command(f"DROP TABLE IF EXISTS {COMPLETE} SYNC")


def mark_before_new_replica(replicas: Sequence[Sequence["Client"]], database: str) -> None:
    """Marks the servers that have rows, if a replica is new and no other server of their shard is marked.

    With one replica, no server is marked. Once a new replica has tables, its loaders insert, and its rows would look
    like those of the first replica. A replica is new if none of its servers has log tables. `replicas` has the clients
    of the shards of each replica; the database need not exist on new servers.
    """
    if all(any(_count(client, _TABLES, database) for client in servers) for servers in replicas):
        return
    for shard in zip(*replicas, strict=True):
        if not any(is_complete(client, database) for client in shard):
            for client in shard:
                if _count(client, _ROWS, database):
                    mark_complete(client, database)


def mark_first(clients: Sequence["Client"]) -> list[int]:
    """If no replica of a shard is marked, marks those that have rows, or all if none has rows. Returns the numbers of
    the replicas that are not marked.

    `clients` are connected to the shard's replicas, in their order.
    """
    if not any(map(is_complete, clients)):
        with_rows = [_count(client, _ROWS, str(client.database)) > 0 for client in clients]
        for client, has_rows in zip(clients, with_rows, strict=True):
            if has_rows or not any(with_rows):
                mark_complete(client)
    return [replica for replica, client in enumerate(clients) if not is_complete(client)]


def _table(database: str | None) -> str:
    return COMPLETE if database is None else f"`{database}`.{COMPLETE}"


def _count(client: "Client", statement: str, database: str) -> int:
    return int(client.query(statement, parameters={"database": database}).result_rows[0][0])
