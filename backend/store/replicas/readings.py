"""Keeps the last reading of the offsets of the replicas' loaders. Statements that need a new one at the same time share
it."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from backend.store.replicas.reach import Reach
from kit.clock import Clock
from kit.errors import LogsieveError

log = structlog.get_logger()

READ_SECONDS: Final = 2.0
"""Longest time, in seconds, to read the offsets of the replicas' loaders from Kafka."""

OUTDATED_SECONDS: Final = 10.0
"""Seconds since the last successful reading from which on its offsets are outdated while readings fail. If a server
and Kafka begin to hang at the same time, up to 8 s pass until a statement may be sent to another replica."""

ReadReach = Callable[[], Awaitable[tuple[Reach, ...]]]
"""Function that returns the reach of each replica. Raises Unavailable while Kafka does not answer."""


class Readings:
    """Reads the offsets of the replicas. Use it from one event loop only."""

    def __init__(self, read_reach: ReadReach, clock: Clock) -> None:
        self._read_reach = read_reach
        self._clock = clock
        self._reading = asyncio.Lock()
        self._read_at = self._succeeded_at = -math.inf
        self.last: tuple[Reach, ...] | None = None
        """The reach of each replica in the last reading that succeeded; None before the first one."""
        self.is_read = True
        """True if the last attempt to read succeeded."""

    @property
    def is_outdated(self) -> bool:
        """True if loaders may have stored many messages since `last` was read: the last attempt to read failed, and
        none succeeded within OUTDATED_SECONDS. A process without a route to Kafka does not know whether loaders have
        one."""
        return not self.is_read and self._clock.monotonic() - self._succeeded_at >= OUTDATED_SECONDS

    async def since(self, since: float) -> None:
        """Reads the offsets, unless a reading started after `since`, a time of the clock in seconds."""
        async with self._reading:
            if self._read_at >= since:
                return
            self._read_at = self._clock.monotonic()
            try:
                async with asyncio.timeout(READ_SECONDS):
                    self.last = await self._read_reach()
                self.is_read, self._succeeded_at = True, self._read_at
            except (LogsieveError, TimeoutError) as error:
                if self.is_read:
                    log.warning("the offsets of the replicas' loaders could not be read from Kafka", reason=str(error))
                self.is_read = False

    def has_read_since(self, since: float) -> bool:
        """Returns whether a reading that started after `since` succeeded."""
        return self.is_read and self._read_at >= since
