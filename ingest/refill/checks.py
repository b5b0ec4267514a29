"""Checks before a replica is filled, so that no log is lost and searches go on. All raise Conflict while nothing is
changed."""

from collections.abc import Collection, Sequence

from confluent_kafka import TopicPartition

from ingest.committed.intent import resume_position
from ingest.refill.each_shard import on_each_shard
from kit.errors import Conflict
from kit.settings import Settings
from schema.clickhouse.complete import is_complete
from schema.coordinates import TopicId
from schema.shards import shard_of


def complete_shards(replica: Settings, shards: Collection[int]) -> set[int]:
    """Returns those of the shards that searches may read from the replica. Raises Unavailable."""
    return {shard for shard, is_marked in on_each_shard(replica, shards, is_complete).items() if is_marked}


def require_complete(source: Settings, shards: Collection[int]) -> None:
    """Raises Conflict if the source is not complete on each of the shards, because its rows replace those of the
    target. Raises Unavailable."""
    complete, replica = complete_shards(source, shards), source.loader_replica
    for shard in shards:
        if shard not in complete:
            raise Conflict(
                f"shard {shard} of replica {replica} may lack logs, because it has no table complete_replica: fill"
                f" shard {shard} of replica {replica} first, or fill only another shard with `--shard`. Nothing was"
                " changed."
            )


def require_reached(
    source: Sequence[TopicPartition], target: Sequence[TopicPartition], topic: TopicId, replica: int
) -> None:
    """Raises Conflict if the target may have shown messages that the source has not stored.

    Searches that have read the target would wait for the source, but its loaders do not run. `source` and `target` are
    committed offsets, `replica` is the number of the source.
    """
    stored = {each.partition: resume_position(each, topic).start or 0 for each in source}
    for each in target:
        position = resume_position(each, topic)
        end = position.stored_before
        if stored.get(each.partition, 0) < end:
            raise Conflict(
                f"replica {replica} has stored partition {each.partition} up to offset {stored.get(each.partition, 0)},"
                f" and searches may have read the replica to fill up to offset {end}: start the loaders of replica"
                f" {replica} until they have caught up. If the offsets of the replica to fill are wrong, add"
                " `--ignore-offsets`. Nothing was changed."
            )


def require_own_shard(committed: Sequence[TopicPartition], topic: TopicId, shard: int, shards: int) -> None:
    """Raises Conflict if a started batch belongs to another shard than its partition, and one of the two is `shard`.

    Such a batch is from before the number of shards changed. If only `shard` were filled, its rows could be missing or
    stored twice.
    """
    for each in committed:
        intended = resume_position(each, topic).intended
        own = shard_of(each.partition, shards)
        if intended is not None and intended.shard != own and shard in (intended.shard, own):
            raise Conflict(
                f"a batch of partition {each.partition} was started on shard {intended.shard} before the number of"
                " shards was changed: start the loaders until it is stored, or fill all shards. Nothing was changed."
            )
