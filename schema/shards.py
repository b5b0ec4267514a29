"""Chooses the shard on which a record is stored. docs/decisions explains the choice, and later changes of the
shards."""


def shard_of(partition: int, shards: int) -> int:
    """Returns the shard that new batches of a topic partition go to, of `shards` numbered from 0 in the order of their
    URLs."""
    return partition % shards
