"""Finds out until when all logs that Kafka has acknowledged are stored, for each shard.

Each reading remembers its time together with the ends of the partitions. All messages that were acknowledged before
this time are before these ends, so they are stored when the loaders have committed the ends.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final, NamedTuple

from backend.alerts.topic_bounds import TopicBounds
from backend.store.replicas.reach import Reach
from kit import metrics
from kit.clock import Clock
from kit.settings import Settings
from schema.shards import shard_of

READING_SECONDS: Final = 2.0
"""Seconds between two readings of the offsets."""


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
        shard, or None if that was not decided yet."""
        self._shards = range(settings.shards)
        self._read_bounds = read_bounds
        self._read_reaches = read_reaches
        self._replica_in_use = replica_in_use
        self._clock = clock
        # Older ends are of no use: rules wait no longer for logs.
        kept = int(settings.alerts_max_wait_seconds / READING_SECONDS) + 1
        self._waiting = [deque[_Ends](maxlen=kept) for _ in self._shards]
        self._until: dict[int, int] = {}
        self._epoch: int | None = None
        self._behind = metrics.gauge(metrics.ALERT_LOGS_BEHIND)

    def of(self, shards: Iterable[int]) -> int | None:
        """Returns the time before which all acknowledged logs of these shards are stored; None if it is unknown."""
        known = [self._until.get(shard) for shard in shards]
        return None if None in known else min(each for each in known if each is not None)

    async def refresh(self) -> None:
        """Reads the offsets once. Raises Unavailable if Kafka does not answer."""
        now_ns = self._clock.now_ns()
        bounds = await self._read_bounds()
        # The ends were read before, so that a commit of them is one of messages that arrived before `now_ns`.
        reaches = await self._read_reaches()
        self._forget_another_time(now_ns, reaches[0].epoch)
        for shard in self._shards:
            stored = reaches[self._replica_in_use(shard) or 0].stored
            # Messages that Kafka has deleted are not waited for. A partition without a leader is not among the bounds:
            # its messages cannot be loaded before it has a leader again.
            reached = {
                partition: max(stored.get(partition, 0), first)
                for partition, first in bounds.first.items()
                if shard_of(partition, len(self._shards)) == shard
            }
            waiting = self._waiting[shard]
            waiting.append(_Ends(now_ns, {partition: bounds.end[partition] for partition in reached}))
            while waiting and all(waiting[0].ends.get(each, 0) <= offset for each, offset in reached.items()):
                self._until[shard] = waiting.popleft().at_ns
        self._behind.set(max(self._seconds_behind(shard, now_ns) for shard in self._shards))

    def _seconds_behind(self, shard: int, now_ns: int) -> float:
        waiting = self._waiting[shard]
        return (now_ns - self._until.get(shard, waiting[0].at_ns if waiting else now_ns)) / 1e9

    def _forget_another_time(self, now_ns: int, epoch: int) -> None:
        """Forgets what belongs to an earlier topic, or to a clock that was ahead."""
        if epoch != self._epoch:
            self._epoch = epoch
            for waiting in self._waiting:
                waiting.clear()
        for shard, waiting in enumerate(self._waiting):
            if waiting and waiting[-1].at_ns > now_ns:
                waiting.clear()
            if self._until.get(shard, 0) > now_ns:
                del self._until[shard]
