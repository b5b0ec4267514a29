"""Detects that this process stood still (SIGSTOP, a machine that slept) long enough to have lost its partitions."""

from kit.clock import Clock
from kit.repeating import Repeating

CHECK_SECONDS = 0.5
"""Seconds between two reads of the clock."""

STANDSTILL_SECONDS = 7.0
"""Longest time between two reads of the clock, in seconds, after which the process still owns its partitions for
certain. It is less than the group's session timeout (10 s) minus the time between two heartbeats (2 s) and two reads
(0.5 s)."""


class StandstillWatch(Repeating):
    """Reads the clock in its own thread, which stands still only if the whole process does.

    A process that stood still does not know what it owns: Kafka may have assigned its partitions to another loader and
    back. Its inserts may be older than ClickHouse's memory of tokens, and its commits would move the group back. So one
    standstill is remembered permanently, and the loader ends.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__("standstill", CHECK_SECONDS)
        self._clock = clock
        self._last = clock.monotonic()
        self._polled = self._last
        self._stood_still = False

    def run_once(self) -> None:
        """Compares the clock with the previous run."""
        self._check()
        self._last = self._clock.monotonic()

    @property
    def stood_still(self) -> bool:
        """Returns whether the process ever stood still for more than STANDSTILL_SECONDS.

        Reads the clock itself, so it is right immediately after a standstill, even if the watch's own thread has not
        run again yet. Any thread may call it.
        """
        self._check()
        return self._stood_still

    def polled(self) -> None:
        """Notes the time of a poll, in which the polling thread learns of partitions that were taken away. Call it
        after each poll."""
        self._polled = self._clock.monotonic()

    @property
    def has_polled(self) -> bool:
        """Returns whether the last poll is at most STANDSTILL_SECONDS ago. Any thread may call it."""
        return self._clock.monotonic() - self._polled <= STANDSTILL_SECONDS

    def _check(self) -> None:
        if self._clock.monotonic() - self._last > STANDSTILL_SECONDS:
            self._stood_still = True
