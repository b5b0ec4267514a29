"""Refuses to add a shard while the replicas of the store have loaded different messages.

The messages of topic partition p are stored on shard p mod shards. After a shard was added, each replica stores the
messages from its own offsets on by the new number of shards. If these offsets differ, the replicas have the messages
between them on different shards, and a search that reads its shards from different replicas finds the records of these
messages twice or not at all.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from ingest.committed.intent import ResumePosition, resume_position
from ingest.refill.each_shard import on_each_shard
from ingest.refill.offsets import LoaderOffsets
from kit.errors import Conflict
from kit.settings import Settings
from schema.clickhouse.complete import is_complete

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
    shards = range(settings.shards)
    read = partial(is_complete, database=settings.clickhouse_database)
    # A new server does not have the database of the settings.
    marked = [on_each_shard(each, shards, read, database="default") for each in settings.each_replica]
    existing = [shard for shard in shards if any(of_replica[shard] for of_replica in marked)]
    added = [shard for shard in shards if shard not in existing]
    if not existing or not added:
        return
    complete = [replica for replica, of_replica in enumerate(marked) if all(of_replica[shard] for shard in existing)]
    if len(complete) > 1 and (difference := _difference(settings, complete)):
        raise Conflict(f"shard {added[0]} is new, and {difference}: {_REMEDY}")


def _difference(settings: Settings, replicas: Sequence[int]) -> str | None:
    """Returns a sentence if the stopped loaders of the replicas would continue at different messages, otherwise None.
    Raises Conflict if loaders are running."""
    offsets = LoaderOffsets(settings)
    positions = dict[int, Mapping[int, ResumePosition]]()
    for replica in replicas:
        group = settings.of_replica(replica).consumer_group
        offsets.require_stopped(group, replica)
        positions[replica] = {each.partition: resume_position(each, offsets.topic) for each in offsets.read(group)}
    nothing = ResumePosition(None)
    for partition in sorted({number for read in positions.values() for number in read}):
        found = {replica: read.get(partition, nothing) for replica, read in positions.items()}
        if len({position.start or 0 for position in found.values()}) > 1:
            each = ", ".join(f"{position.start or 0} of replica {replica}" for replica, position in found.items())
            return f"the loaders of the replicas continue at different offsets of partition {partition} ({each})"
        for replica, position in found.items():
            if position.intended is not None:
                return f"an insert of replica {replica} was interrupted, of messages of partition {partition}"
    return None
