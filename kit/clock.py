"""Time as an argument: code that needs the time takes a `Clock`; tests pass a `ManualClock`."""

import time
from datetime import timedelta
from typing import Final, Protocol

DAY_NS: Final = 86_400 * 10**9
"""Nanoseconds of a day of 24 hours."""

CLOCKS_APART: Final = timedelta(minutes=5)
"""Largest difference between the clocks of two hosts. Beyond it, one of them is wrong."""

CLOCKS_APART_NS: Final = round(CLOCKS_APART.total_seconds() * 1e9)
"""CLOCKS_APART in nanoseconds."""

_MONOTONIC: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""On Linux, CLOCK_BOOTTIME, because CLOCK_MONOTONIC stands still while the machine sleeps. A loader that slept could
otherwise not know that it has lost its partitions."""


class Clock(Protocol):
    """Source of the time."""

    def now_ns(self) -> int:
        """Returns the wall-clock time in nanoseconds since the Unix epoch."""
        ...

    def monotonic(self) -> float:
        """Returns seconds on a clock that never goes back, and that counts the time in which the machine sleeps, if the
        system has such a clock. Only differences between two values have a meaning."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now_ns(self) -> int:
        return time.time_ns()

    def monotonic(self) -> float:
        return time.clock_gettime(_MONOTONIC)


class ManualClock:
    """A clock that stands still until a test moves it."""

    def __init__(self, now_ns: int = 0) -> None:
        self._now_ns = now_ns

    def now_ns(self) -> int:
        return self._now_ns

    def monotonic(self) -> float:
        return self._now_ns / 1e9

    def advance(self, seconds: float) -> None:
        """Moves both clocks forward."""
        self._now_ns += round(seconds * 1e9)
