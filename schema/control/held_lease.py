"""Holds a lease for a block that may take longer than a lease lasts."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kit.clock import Clock
from kit.errors import Conflict, Unavailable
from kit.repeating import Repeating
from schema.control.database import opened
from schema.control.lease import LEASE_SECONDS, extend_lease, new_holder, read_lease, release_lease, take_lease

EXTEND_SECONDS: Final = LEASE_SECONDS / 4
"""Seconds between two extensions of the lease."""

WAIT_SECONDS: Final = 2 * LEASE_SECONDS
"""Longest wait, in seconds, for another holder. One that died keeps the lease for LEASE_SECONDS."""

_PAUSE_SECONDS: Final = 0.5


class HeldLease(Repeating):
    """Extends a lease from its own thread until it is stopped, then releases it."""

    def __init__(self, url: str, name: str, clock: Clock) -> None:
        """`url` is that of the control plane."""
        super().__init__(f"lease-{name}", EXTEND_SECONDS)
        self._url = url
        self.lease_name = name
        self._clock = clock
        self._holder = new_holder()

    def take(self) -> bool:
        """Takes the lease. Returns False while another process holds it. Raises Unavailable."""

        async def take() -> bool:
            async with opened(self._url) as engine:
                return await take_lease(engine, self.lease_name, self._holder, self._clock.now_ns())

        return asyncio.run(take())

    def other(self) -> tuple[str, float] | None:
        """Returns the holder of the lease, and the seconds until its lease ends unless it extends it. Returns None if
        the lease is free. Raises Unavailable."""

        async def read() -> tuple[str, int] | None:
            async with opened(self._url) as engine:
                return await read_lease(engine, self.lease_name)

        found = asyncio.run(read())
        return None if found is None else (found[0], max(0.0, (found[1] - self._clock.now_ns()) / 1e9))

    def run_once(self) -> None:
        self.require_held()

    def require_held(self) -> None:
        """Extends the lease. Raises Conflict if another process has taken it since `take`, also if that process has
        released it. Raises Unavailable if the control plane does not answer."""

        async def extend() -> bool:
            async with opened(self._url) as engine:
                return await extend_lease(engine, self.lease_name, self._holder, self._clock.now_ns())

        if not asyncio.run(extend()):
            raise Conflict(
                f"this process could not extend the lease `{self.lease_name}` in time, and another process has taken"
                " it: run the command again, which continues with the step that was interrupted"
            )

    def ended(self) -> None:
        """Releases the lease, so that another process need not wait until it ends."""

        async def release() -> None:
            async with opened(self._url) as engine:
                await release_lease(engine, self.lease_name, self._holder)

        asyncio.run(release())


@contextmanager
def holding(
    lease: HeldLease, clock: Clock, say: Callable[[str], None], pause: Callable[[float], None] = time.sleep
) -> Iterator[None]:
    """Waits for the lease and holds it while the block runs. `say` receives a sentence about each holder before the
    wait.

    Raises Unavailable if another process keeps the lease for WAIT_SECONDS, or if the control plane does not answer.
    """
    until, holder = clock.monotonic() + WAIT_SECONDS, ""
    while not lease.take():
        if (other := lease.other()) is not None and other[0] != holder:
            holder, seconds = other
            say(
                f"waiting up to {WAIT_SECONDS:g} s: process {holder} (host, process id, random digits) holds the lease"
                f" `{lease.lease_name}`. If that process was killed, its lease ends in {math.ceil(seconds)} s"
            )
        if clock.monotonic() >= until:
            raise Unavailable(
                f"process {holder} (host, process id, random digits) has kept the lease `{lease.lease_name}`, and this"
                f" process has waited {WAIT_SECONDS:g} s for it: wait until that process has finished, or end it, then"
                " run the command again"
            )
        pause(_PAUSE_SECONDS)
    lease.start()
    try:
        yield
    finally:
        lease.stop()
        lease.join()
