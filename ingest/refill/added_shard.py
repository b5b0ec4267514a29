"""Refuses to add a shard while the replicas of the store have loaded different messages.

The messages of topic partition p are stored on shard p mod shards. After a shard was added, each replica stores the
messages from its own offsets on by the new number of shards. If these offsets differ, the replicas have the messages
between them on different shards, and a search that reads its shards from different replicas finds the records of these
messages twice or not at all.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Final

from ingest.loader.intent import ResumePosition
from ingest.refill.offsets import LoaderOffsets
from kit.clickhouse import connect
from kit.errors import Conflict
from kit.settings import Settings
from schema.clickhouse.complete import COMPLETE
from schema.kafka_message import position_of

_IS_COMPLETE: Final = "SELECT count() FROM system.tables WHERE database = {database:String} AND name = {name:String}"

_REMEDY: Final = (
    "start the loaders with the former number of shards, stop the receivers, wait until `logsieve doctor` shows for"
    " each replica that 0 messages in Kafka are not loaded, stop the loaders, and run `logsieve migrate` again"
)


def require_equal_replicas(settings: Settings) -> None:
    """Raises Conflict if a shard of the settings is new, unless the loaders of all complete replicas are stopped and
    have loaded the same messages.

    A shard is new if no replica of it is complete, although one of another shard is: migrations mark replicas as
    complete when they have created all tables. Raises Unavailable if a server or Kafka does not answer.
    """
    if settings.topology.replicas == 1 or settings.shards == 1:
        return
    is_complete = [_complete_replicas(settings, shard) for shard in range(settings.shards)]
    existing = [replicas for replicas in is_complete if any(replicas)]
    if not existing or len(existing) == settings.shards:
        return
    complete = [replica for replica, of_shards in enumerate(zip(*existing, strict=True)) if all(of_shards)]
    if len(complete) > 1 and (difference := _difference(settings, complete)):
        added = next(shard for shard, replicas in enumerate(is_complete) if not any(replicas))
        raise Conflict(f"shard {added} is new, and {difference}: {_REMEDY}")


def _complete_replicas(settings: Settings, shard: int) -> list[bool]:
    """Returns for each replica of a shard whether searches may read it."""
    names = {"database": settings.clickhouse_database, "name": COMPLETE}
    with ExitStack() as clients:
        # A new server does not have the database of the settings.
        connected = [
            clients.enter_context(connect(each, database="default", shard=shard)) for each in settings.each_replica
        ]
        return [bool(client.query(_IS_COMPLETE, parameters=names).result_rows[0][0]) for client in connected]


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
    nothing = ResumePosition(None)
    for partition in sorted({number for read in positions.values() for number in read}):
        found = {replica: read.get(partition, nothing) for replica, read in positions.items()}
        if len({position.start or 0 for position in found.values()}) > 1:
            each = ", ".join(f"{position.start or 0} of replica {replica}" for replica, position in found.items())
            return f"the loaders of the replicas continue at different offsets of partition {partition} ({each})"
        for replica, position in found.items():
            if position.intended_end is not None:
                return f"an insert of replica {replica} was interrupted, of messages of partition {partition}"
    return None
