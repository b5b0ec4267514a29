"""Keeps statements away from a replica that answers, while a waiting statement brings its shards to another replica."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from backend.store.replicas.health import NodeHealth
from kit.topology import Place


class Pauses:
    """Replicas of shards that no statement may read for the moment. Use it from one event loop only."""

    def __init__(self, health: NodeHealth) -> None:
        self._health = health
        self._replicas: dict[int, int] = {}
        """The paused replica, by shard."""

    @property
    def are_free(self) -> bool:
        """True if nothing is paused. Only one statement at a time may pause replicas."""
        return not self._replicas

    def include(self, shards: Sequence[int], replica: int) -> bool:
        """Returns whether the replica is paused for one of these shards."""
        return any(self._replicas.get(shard) == replica for shard in shards)

    @contextmanager
    def pausing(self, replicas: Mapping[int, int]) -> Iterator[None]:
        """Within the block, no statement begins on these replicas, by shard. Their running statements are sent
        again."""
        self._replicas = dict(replicas)
        self._health.interrupt([Place(*each) for each in replicas.items()])
        try:
            yield
        finally:
            self._replicas = {}
