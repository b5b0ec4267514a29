"""Waits until a side has stored all records that were sent to it, and has ended its merges."""

import time
from collections.abc import Callable
from typing import Final, Protocol

from kit.clock import Clock
from kit.errors import Unavailable

_QUIET_SECONDS: Final = 6.0
"""Seconds without work. Longer than Logsieve waits before it builds an index that no merge builds."""
_LOST_SECONDS: Final = 60.0
"""Seconds without work and without a new record after which missing records count as lost."""
_LONGEST_SECONDS: Final = 3_600.0
_POLL_SECONDS: Final = 0.25


class Settling(Protocol):
    """The methods of a side that the wait needs."""

    @property
    def name(self) -> str: ...

    def flush(self) -> None: ...

    def count(self) -> int: ...

    def working(self) -> bool: ...


def wait_until_settled(side: Settling, sent: int, clock: Clock, pause: Callable[[float], None] = time.sleep) -> float:
    """Waits until a side has stored `sent` records and has nothing left to merge, flush or send.

    Returns the seconds until a search found the last record. If records are missing, waits until they count as lost.
    Raises Unavailable if the side still works after `_LONGEST_SECONDS`.
    """
    started = quiet_since = found_at = clock.monotonic()
    found = -1
    side.flush()
    while True:
        count, working, now = side.count(), side.working(), clock.monotonic()
        if count != found:
            found, found_at = count, now
        if working or found_at == now:
            quiet_since = now
        if now - quiet_since >= (_QUIET_SECONDS if found >= sent else _LOST_SECONDS):
            return found_at - started
        if now - started > _LONGEST_SECONDS:
            raise Unavailable(f"{side.name} works after {_LONGEST_SECONDS:g} s, {found} of {sent} records are found")
        pause(_POLL_SECONDS)
