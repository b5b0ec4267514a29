"""Refuses to add a shard while the replicas of the store have loaded different messages.

The messages of topic partition p are stored on shard p mod shards. After a shard was added, each replica stores the
messages from its own offsets on by the new number of shards. If these offsets differ, the replicas have the messages
between them on different shards, and a search that reads its shards from different replicas finds the records of these
messages twice or not at all.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Final

from clickhouse_connect.driver.client import Client

from ingest.loader.intent import ResumePosition
from ingest.refill.offsets import LoaderOffsets
from kit.clickhouse import connect
from kit.errors import Conflict
from kit.settings import Settings
from schema.clickhouse.complete import COMPLETE
from schema.clickhouse.tables import table_name
from schema.kafka_message import position_of

_TABLES: Final = "SELECT name FROM system.tables WHERE database = {database:String} AND name IN {names:Array(String)}"

_REMEDY: Final = (
    "start the loaders with the former number of shards, stop the receivers, wait until `logsieve doctor` shows for"
    " each replica that 0 messages in Kafka are not loaded, stop the loaders, and run `logsieve migrate` again"
)


def require_equal_replicas(settings: Settings) -> None:
    """Raises Conflict if a shard of the settings is new, unless the loaders of all complete replicas are stopped and
    have loaded the same messages.

    A shard is new if none of its servers has a log table, although a server of another shard has. Raises Unavailable if
    a server or Kafka does not answer.
    """
    if settings.topology.replicas == 1 or settings.shards == 1:
        return
    found = [_tables_by_replica(settings, shard) for shard in range(settings.shards)]
    is_new = [not any(table_name(0) in tables for tables in replicas) for replicas in found]
    if not any(is_new) or all(is_new):
        return
    added = is_new.index(True)
    complete = [
        replica
        for replica in range(settings.topology.replicas)
        if all(new or COMPLETE in tables[replica] for new, tables in zip(is_new, found, strict=True))
    ]
    if difference := _difference(settings, complete):
        raise Conflict(f"shard {added} is new, and {difference}: {_REMEDY}")


def _tables_by_replica(settings: Settings, shard: int) -> list[frozenset[str]]:
    """Returns, for each replica of a shard, which of the two tables its server has that this module looks for."""
    names = {"database": settings.clickhouse_database, "names": [table_name(0), COMPLETE]}

    def tables(client: Client) -> frozenset[str]:
        return frozenset(str(name) for (name,) in client.query(_TABLES, parameters=names).result_rows)

    with ExitStack() as clients:
        return [
            # A new server does not have the database of the settings.
            tables(clients.enter_context(connect(each, database="default", shard=shard)))
            for each in settings.each_replica
        ]


def _difference(settings: Settings, replicas: Sequence[int]) -> str | None:
    """Returns a sentence if the stopped loaders of the replicas would continue at different messages, otherwise None.
    Raises Conflict if loaders are running."""
    offsets = LoaderOffsets(settings)
    positions = dict[int, Mapping[int, ResumePosition]]()
    for replica in replicas:
        group = settings.of_replica(replica).consumer_group
        offsets.require_stopped(group, replica)
        positions[replica] = {
            each.partition: ResumePosition.read(position_of(each), each.metadata, offsets.topic)
            for each in offsets.read(group)
        }
    for partition in sorted({number for read in positions.values() for number in read}):
        starts = {replica: read[partition].start if partition in read else None for replica, read in positions.items()}
        if len(set(starts.values())) > 1:
            each = ", ".join(f"{start or 0} of replica {replica}" for replica, start in starts.items())
            return f"the loaders of the replicas continue at different offsets of partition {partition} ({each})"
        for replica, read in positions.items():
            if partition in read and read[partition].intended_end is not None:
                return f"an insert of replica {replica} was interrupted, of messages of partition {partition}"
    return None
