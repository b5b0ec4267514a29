"""The replica that is read for one shard, and what it can have shown once it no longer answers."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(slots=True)
class ShardState:
    """The replica that is read for a shard. Another replica gets another object."""

    replica: int
    is_unread: bool = False
    """True if the replica was chosen before any offsets were read, so that it may be far behind."""
    choices: int = 0
    """Number of times that the replica was chosen."""
    left: Mapping[int, int] | None = None
    """If the replica stopped answering: for each partition, the first offset that its statements cannot have shown.
    Messages that arrive later cannot have been shown either, although loaders announce them in Kafka."""

    def chosen(self) -> None:
        """Counts a choice of the replica, which answers."""
        self.choices += 1
        self.left = None
