"""Which shard a record is stored on: docs/decisions has why, and what a later change of the shards does."""


def shard_of(partition: int, shards: int) -> int:
    """The shard that new batches of a topic partition go to, of `shards` numbered from 0 in the order of their URLs."""
    return partition % shards
