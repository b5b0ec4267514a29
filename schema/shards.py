"""Chooses the shard on which a record is stored. docs/decisions/0013-an-intent-names-its-shard.md explains the choice,
and how shards can be added."""


def shard_of(partition: int, shards: int) -> int:
    """Returns the shard for new batches of a topic partition, from 0 to `shards` - 1 in the order of the shards'
    URLs."""
    return partition % shards
