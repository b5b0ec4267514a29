"""Waits until a side has stored what was sent to it, and has ended its merges."""

import time
from collections.abc import Callable
from typing import Final, Protocol

from kit.clock import Clock
from kit.errors import Unavailable

_QUIET_SECONDS: Final = 3.0
_LOST_SECONDS: Final = 60.0
"""Time without work and without another record after which missing records are lost."""
_LONGEST_SECONDS: Final = 3_600.0
_POLL_SECONDS: Final = 0.25


class Settling(Protocol):
    """The part of a side that is waited for."""

    @property
    def name(self) -> str: ...

    def flush(self) -> None: ...

    def count(self) -> int: ...

    def working(self) -> bool: ...


def wait_until_settled(side: Settling, sent: int, clock: Clock, pause: Callable[[float], None] = time.sleep) -> float:
    """Returns the seconds until all records were found by a search, or as many as ever will be.

    It returns when nothing is merged, flushed or sent any more. Raises Unavailable when that takes too long.
    """
    began = quiet_since = found_at = clock.monotonic()
    found = -1
    side.flush()
    while True:
        count, working, now = side.count(), side.working(), clock.monotonic()
        if count != found:
            found, found_at = count, now
        if working or found_at == now:
            quiet_since = now
        if now - quiet_since >= (_QUIET_SECONDS if found >= sent else _LOST_SECONDS):
            return found_at - began
        if now - began > _LONGEST_SECONDS:
            raise Unavailable(f"{side.name} works after {_LONGEST_SECONDS:g} s, {found} of {sent} records are found")
        pause(_POLL_SECONDS)
