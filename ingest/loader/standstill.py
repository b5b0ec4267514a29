"""Notices that this process stood still (SIGSTOP, a frozen virtual machine) long enough to have lost its partitions."""

from kit.clock import Clock
from kit.repeating import Repeating

CHECK_SECONDS = 0.5
"""Time between two looks at the clock, in seconds."""

STANDSTILL_SECONDS = 7.0
"""Longest gap between two looks, in seconds, after which the process may still own its partitions: the group's session
(10 s) less the time between two heartbeats (2 s) and between two looks."""


class StandstillWatch(Repeating):
    """Reads the clock in its own thread, which stands still only if the whole process does.

    A process that stood still does not know what it owns: Kafka may have given its partitions to another loader, which
    may have come and gone since. What it would insert may be older than ClickHouse's memory of tokens, and what it
    would commit would move the group back. So one standstill is remembered for good, and the loader ends.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__("standstill", CHECK_SECONDS)
        self._clock = clock
        self._last = clock.monotonic()
        self._stood_still = False

    def turn(self) -> None:
        """Looks at the clock."""
        self._check()
        self._last = self._clock.monotonic()

    @property
    def stood_still(self) -> bool:
        """Returns whether the process ever stood still. Any thread may ask, also before this thread ran after a
        standstill."""
        self._check()
        return self._stood_still

    def _check(self) -> None:
        if self._clock.monotonic() - self._last > STANDSTILL_SECONDS:
            self._stood_still = True
