"""Waits until all sides are idle, so that work of one side after its answer does not slow the next side."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from kit.clock import Clock
from loadtest.peers.footprint import cpu_seconds
from loadtest.peers.side import Side

_POLL_SECONDS: Final = 0.2
_IDLE_SHARE: Final = 0.25
"""Share of one processor up to which all sides together count as idle, because servers poll their queues."""
_LONGEST_SECONDS: Final = 30.0


def used_seconds(sides: Sequence[Side]) -> float:
    """Returns the CPU seconds that all processes of all sides have used since they started."""
    return sum(sum(cpu_seconds(side.processes()).values()) for side in sides)


def wait_until_quiet(used: Callable[[], float], clock: Clock, pause: Callable[[float], None] = time.sleep) -> bool:
    """Waits until the sides are idle. Returns false if they are not after 30 s.

    `used` returns the CPU seconds that the sides have used so far.
    """
    started = last = clock.monotonic()
    before = used()
    while last - started < _LONGEST_SECONDS:
        pause(_POLL_SECONDS)
        now, after = clock.monotonic(), used()
        if after - before <= _IDLE_SHARE * (now - last):
            return True
        last, before = now, after
    return False
