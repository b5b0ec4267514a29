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
        self._owner: Pause | None = None
        """The pause of the waiting statement that has paused these replicas. Only one statement at a time may do so."""

    def include(self, shards: Sequence[int], replica: int) -> bool:
        """Returns whether the replica is paused for one of these shards."""
        return any(self._replicas.get(shard) == replica for shard in shards)

    @contextmanager
    def of_statement(self) -> Iterator["Pause"]:
        """Yields the pause of one waiting statement, and ends it after the block."""
        pause = Pause(self)
        try:
            yield pause
        finally:
            pause.end()

    def begin(self, owner: "Pause", replicas: Mapping[int, int]) -> bool:
        """Pauses a replica of each shard in `replicas`, and lets its running statements be sent again. Returns False,
        and pauses nothing, while another statement has paused replicas."""
        if self._owner is not None:
            return False
        self._owner, self._replicas = owner, dict(replicas)
        self._health.interrupt([Place(*each) for each in replicas.items()])
        return True

    def end(self, owner: "Pause") -> None:
        """Ends the pause, if `owner` has begun it."""
        if self._owner is owner:
            self._owner, self._replicas = None, {}


class Pause:
    """The pause that one waiting statement may begin."""

    def __init__(self, pauses: Pauses) -> None:
        self._pauses = pauses
        self.awaited: int | None = None
        """Replica that the statement waits for, while it has paused others. Otherwise None."""

    def begin(self, awaited: int, others: Mapping[int, int]) -> None:
        """Pauses `others`, a replica of each shard, until `end`. Does nothing while another statement has paused
        replicas."""
        if self._pauses.begin(self, others):
            self.awaited = awaited

    def end(self) -> None:
        """Lets statements read the paused replicas again."""
        self._pauses.end(self)
        self.awaited = None
