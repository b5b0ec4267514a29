"""Finds out until when all logs that Kafka has acknowledged are stored, for each shard.

Each reading remembers its time together with the ends of the partitions. All messages that were acknowledged before
this time are before these ends, so they are stored when the loaders have committed the ends.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from backend.alerts.topic_bounds import TopicBounds
from backend.store.replicas.reach import Reach
from kit import metrics
from kit.clock import Clock
from kit.settings import Settings
from schema.shards import shard_of

READING_SECONDS: Final = 2.0
"""Seconds between two readings of the offsets."""

KEPT_READINGS: Final = 500
"""Largest number of readings of a shard that are kept while their ends are not stored. If there are more, every second
one is dropped, so that a lag of any length is measured, a long one less exactly."""


class _Ends(NamedTuple):
    at_ns: int
    ends: Mapping[int, int]


class StoredUntil:
    """For each shard, the time before which all acknowledged logs are stored, in nanoseconds since the Unix epoch."""

    def __init__(
        self,
        settings: Settings,
        read_bounds: Callable[[], Awaitable[TopicBounds]],
        read_reaches: Callable[[], Awaitable[tuple[Reach, ...]]],
        replica_in_use: Callable[[int], int | None],
        clock: Clock,
    ) -> None:
        """`read_reaches` returns what each replica has stored. `replica_in_use` returns the replica that is read for a
        shard, or None if no replica was chosen yet."""
        self._shards = range(settings.shards)
        self._read_bounds = read_bounds
        self._read_reaches = read_reaches
        self._replica_in_use = replica_in_use
        self._clock = clock
        self._waiting: list[list[_Ends]] = [[] for _ in self._shards]
        self._until: dict[int, int] = {}
        self._epoch: int | None = None
        self._behind = metrics.gauge(metrics.ALERT_LOGS_BEHIND)

    def of(self, shards: Iterable[int]) -> int | None:
        """Returns the time before which all acknowledged logs of these shards are stored; None if it is unknown."""
        known = [self._until.get(shard) for shard in shards]
        return None if None in known else min(each for each in known if each is not None)

    def latest(self) -> int | None:
        """Returns the time of the shard that is least behind; None if no time is known."""
        return max(self._until.values(), default=None)

    async def refresh(self) -> None:
        """Reads the offsets once. Raises Unavailable if Kafka does not answer."""
        now_ns = self._clock.now_ns()
        try:
            bounds = await self._read_bounds()
            # The reaches are read after the ends. Messages that arrive in between are after the ends, so no rule waits
            # for them.
            reaches = await self._read_reaches()
            self._drop_invalid_readings(now_ns, reaches[0].epoch)
            for shard in self._shards:
                self._advance(shard, now_ns, bounds, reaches)
        finally:
            self._behind.set(max(self._seconds_behind(shard, now_ns) for shard in self._shards))

    def _advance(self, shard: int, now_ns: int, bounds: TopicBounds, reaches: Sequence[Reach]) -> None:
        def is_own(partition: int) -> bool:
            return shard_of(partition, len(self._shards)) == shard

        if any(map(is_own, bounds.unanswered)):
            return  # The partition may have messages that are not stored.
        replica = self._replica_in_use(shard)
        readable = reaches if replica is None else (reaches[replica],)
        # Messages that Kafka has deleted are not waited for.
        reached = {
            partition: max(first, min(each.stored.get(partition, 0) for each in readable))
            for partition, first in bounds.first.items()
            if is_own(partition)
        }
        waiting = self._waiting[shard]
        waiting.append(_Ends(now_ns, {partition: bounds.end[partition] for partition in reached}))
        while waiting and all(end <= reached.get(each, 0) for each, end in waiting[0].ends.items()):
            self._until[shard] = waiting.pop(0).at_ns
        if len(waiting) > KEPT_READINGS:
            del waiting[1::2]

    def _seconds_behind(self, shard: int, now_ns: int) -> float:
        waiting = self._waiting[shard]
        return (now_ns - self._until.get(shard, waiting[0].at_ns if waiting else now_ns)) / 1e9

    def _drop_invalid_readings(self, now_ns: int, epoch: int) -> None:
        """Drops readings of an earlier topic, and times that were read while the clock was ahead."""
        if epoch != self._epoch:
            self._epoch = epoch
            for waiting in self._waiting:
                waiting.clear()
        for shard, waiting in enumerate(self._waiting):
            if waiting and waiting[-1].at_ns > now_ns:
                waiting.clear()
            if self._until.get(shard, 0) > now_ns:
                del self._until[shard]
