"""Base of background loops of which one loader at a time does the work: the loader that has the loop's lease."""

import asyncio
import math
import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Final

from kit.clock import Clock
from kit.repeating import Repeating
from kit.settings import Settings
from schema.control.database import opened
from schema.control.held_lease import EXTEND_SECONDS
from schema.control.lease import extend_lease, new_holder, release_lease

RELEASE_SECONDS: Final = 3.0
"""Longest time, in seconds, that a process waits for the end of its loops before it ends."""

RUN_SECONDS: Final = 600.0
"""Seconds from the start of a run in which its lease is extended. A run that hangs then loses the lease."""


class LeasedLoop(Repeating):
    """Background loop of which one loader at a time does the work. Its runs take the lease, under a name for this
    loader.

    Keeps the lease between runs and in runs of at most RUN_SECONDS, until a run fails or releases it. After a failed
    run, the lease ends within LEASE_SECONDS even if it cannot be released. Releases it at its end, so that another
    loader can continue immediately.
    """

    def __init__(self, settings: Settings, clock: Clock, name: str, seconds: float, lease: str) -> None:
        super().__init__(name, seconds)
        self._settings = settings
        self._clock = clock
        self._lease = lease
        self._holder = new_holder()
        self._extension = _Extension(settings, clock, f"{name}-lease", (lease, self._holder))

    def run(self) -> None:
        self._extension.start()
        super().run()

    def run_once(self) -> None:
        self._extension.until = self._clock.monotonic() + RUN_SECONDS
        try:
            self.work()
        except Exception:
            self._extension.until = -math.inf
            raise
        self._extension.until = math.inf

    @abstractmethod
    def work(self) -> None:
        """Does the work of one run, if this loader gets the lease."""

    def ended(self) -> None:
        """Releases the lease if this loader has it."""
        self._extension.stop()
        asyncio.run(self._release())

    async def _release(self) -> None:
        async with opened(self._settings.control_plane_url) as engine:
            await release_lease(engine, self._lease, self._holder)


def wait_for_release(stopped: Sequence[LeasedLoop]) -> None:
    """Waits until the loops, which were stopped, have released their leases, at most RELEASE_SECONDS for all together.

    The threads of loops end with the process. A lease that is not released keeps other loaders from the work until the
    lease expires.
    """
    until = time.monotonic() + RELEASE_SECONDS
    for each in stopped:
        if each.is_alive():
            each.join(max(0.0, until - time.monotonic()))


class _Extension(Repeating):
    """Extends a lease of a holder while the holder has it, before the monotonic time `until`."""

    def __init__(self, settings: Settings, clock: Clock, name: str, lease_and_holder: tuple[str, str]) -> None:
        super().__init__(name, EXTEND_SECONDS)
        self._settings = settings
        self._clock = clock
        self._lease, self._holder = lease_and_holder
        self.until = -math.inf

    def run_once(self) -> None:
        if self._clock.monotonic() < self.until:
            asyncio.run(self._extend())

    async def _extend(self) -> None:
        async with opened(self._settings.control_plane_url) as engine:
            await extend_lease(engine, self._lease, self._holder, self._clock.now_ns())
