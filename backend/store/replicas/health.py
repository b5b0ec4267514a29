"""Watches which ClickHouse servers answer, so that no statement waits for one that hangs."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import aiohttp
import structlog
from clickhouse_connect.driver.exceptions import Error

from kit import metrics
from kit.errors import LogsieveError, Unavailable
from kit.repeating import RepeatingTask
from kit.topology import Place

log = structlog.get_logger()

PROBE_SECONDS: Final = 0.35
"""Seconds that a server has to answer a probe if its shard has other replicas."""

PROBE_SECONDS_ALONE: Final = 3.0
"""Seconds that the only server of a shard has to answer a probe. A server that is only busy must not fail searches, and
there is no other server to read."""

PAUSE_SECONDS: Final = 0.25
"""Seconds between two probes of a server whose shard has other replicas."""

PAUSE_SECONDS_ALONE: Final = 1.0
"""Seconds between two probes of the only server of a shard. Four probes a second of each process took 3 % of a
processor."""

FAILURES: Final = 2
"""Number of failed probes in a row after which a server counts as unreachable if another replica of its shard answers:
about one second."""

FAILURES_ALONE: Final = 12
"""Number of failed probes in a row after which a server counts as unreachable if no other replica of its shard answers
in time: about seven seconds. It is large, because a busy server may answer late, and there is no other server to
read."""

LATE_ALONE_COUNTS: Final = FAILURES_ALONE // 2
"""Number by which a probe raises the number of failed probes if the only server of a shard did not answer it in time.
The server therefore counts as unreachable after two late probes: about six seconds."""

Probe = Callable[[Place], Awaitable[None]]
"""Function that probes one server. Raises an error if the server does not answer; may hang."""


class NodeHealth:
    """Probes the servers and knows which of them are unreachable. Use it from one event loop only."""

    def __init__(self, places: Sequence[Place], probe: Probe, failures: int = FAILURES) -> None:
        """`failures` is the number of failed probes in a row after which a server counts as unreachable if another
        replica of its shard answers."""
        self._probe = probe
        self._threshold = failures
        self._failed = dict.fromkeys(places, 0)
        self._is_late = dict.fromkeys(places, False)
        self._watchers: dict[Place, set[Callable[[], None]]] = {place: set() for place in places}
        self._loops = [
            RepeatingTask(f"clickhouse-probe-{place.shard}-{place.replica}", self._pause(place), self._probing(place))
            for place in places
        ]

    def start(self) -> None:
        for loop in self._loops:
            loop.start()

    async def stop(self) -> None:
        for loop in self._loops:
            await loop.cancel()

    @property
    def places(self) -> Sequence[Place]:
        """All servers."""
        return tuple(self._failed)

    def is_unreachable(self, place: Place) -> bool:
        """Returns whether the server did not answer its last probes.

        If all replicas of a shard answer late, they are busy. They count as unreachable after FAILURES_ALONE probes.
        """
        if self._failed[place] < self._needed(place):
            return False
        return (
            not self._is_late[place]
            or self._failed[place] >= FAILURES_ALONE
            or any(self._failed[each] < self._needed(each) for each in self._replicas_of(place))
        )

    def hangs(self, place: Place) -> bool:
        """Returns whether the server is unreachable because it is late. Statements would wait for it in vain, while a
        server that refuses connections makes them fail at once."""
        return self._is_late[place] and self.is_unreachable(place)

    def no_answer(self, shards: Sequence[int]) -> Unavailable:
        """Returns the error of a statement over these shards while no replica has an answering server for each."""
        which = f"shard {shards[0]}" if len(shards) == 1 else "all shards"
        reason = f": no replica has a running server for {which}" if len(self._failed) > 1 else ""
        return Unavailable(
            f"ClickHouse does not answer{reason}. Searches work again when it is back; sent logs are safe in Kafka.",
            retry_after=2,
        )

    def is_only_late(self, place: Place) -> bool:
        """Returns whether the server answers, or has been late for less than FAILURES_ALONE probes."""
        return not self._failed[place] or (self._is_late[place] and self._failed[place] < FAILURES_ALONE)

    @contextmanager
    def watched(self, places: Sequence[Place], when_unreachable: Callable[[], None]) -> Iterator[None]:
        """Within the block, calls `when_unreachable` as soon as one of the servers counts as unreachable."""
        for place in places:
            self._watchers[place].add(when_unreachable)
        try:
            yield
        finally:
            for place in places:
                self._watchers[place].discard(when_unreachable)

    def interrupt(self, places: Sequence[Place]) -> None:
        """Calls the functions that `watched` has for these servers, because the servers are no longer read."""
        for place in places:
            for call in tuple(self._watchers[place]):
                call()

    async def check(self, places: Sequence[Place]) -> None:
        """Probes these servers now. Returns when each has answered or failed twice."""
        await asyncio.gather(*map(self._check_twice, places))

    def _probing(self, place: Place) -> Callable[[], Awaitable[None]]:
        return lambda: self._check_twice(place)

    async def _check_twice(self, place: Place) -> None:
        await self._check(place)
        # The second probe follows at once, so that a server that hangs is unreachable within a second.
        if 0 < self._failed[place] < self._needed(place):
            await self._check(place)

    async def _check(self, place: Place) -> None:
        try:
            async with asyncio.timeout(PROBE_SECONDS_ALONE if self._is_alone(place) else PROBE_SECONDS):
                await self._probe(place)
        except (LogsieveError, Error, aiohttp.ClientError, OSError, TimeoutError) as error:
            self._note(place, error)
        else:
            self._note(place, None)

    def _note(self, place: Place, error: Exception | None) -> None:
        """Stores the result of a probe. It may change whether other replicas of the shard count as unreachable."""
        replicas = self._replicas_of(place)
        before = {each: self.is_unreachable(each) for each in replicas}
        hung = self.hangs(place)
        # An attempt to connect that took too long has a TimeoutError as its cause.
        self._is_late[place] = any(isinstance(each, TimeoutError) for each in (error, error and error.__cause__))
        failures = LATE_ALONE_COUNTS if self._is_late[place] and self._is_alone(place) else 1
        self._failed[place] = 0 if error is None else self._failed[place] + failures
        for each in replicas:
            self._show(each)
            names = {"shard": each.shard, "replica": each.replica}
            if before[each] and not self.is_unreachable(each):
                log.info("ClickHouse answers again", **names)
            elif self.is_unreachable(each) and not before[each]:
                reason = "late" if error is None else str(error).split("\n")[0] or type(error).__name__
                log.warning("ClickHouse does not answer", reason=reason, **names)
                self.interrupt([each])
        if self.hangs(place) and before[place] and not hung:
            self.interrupt([place])  # Statements would wait for a server that refused them before and hangs now.

    def _replicas_of(self, place: Place) -> Sequence[Place]:
        """Returns the servers of all replicas of the server's shard, including the server itself."""
        return [each for each in self._failed if each.shard == place.shard]

    def _needed(self, place: Place) -> int:
        """Returns the smallest number of failed probes in a row after which the server may count as unreachable."""
        return FAILURES_ALONE if self._is_alone(place) else self._threshold

    def _pause(self, place: Place) -> float:
        """Returns the seconds between two probes of the server."""
        return PAUSE_SECONDS_ALONE if self._is_alone(place) else PAUSE_SECONDS

    def _is_alone(self, place: Place) -> bool:
        """Returns whether no other replica has the rows of the server."""
        return len(self._replicas_of(place)) == 1

    def _show(self, place: Place) -> None:
        labels = {"shard": str(place.shard), "replica": str(place.replica)}
        metrics.gauge(metrics.CLICKHOUSE_ANSWERS).set(int(not self.is_unreachable(place)), labels)
