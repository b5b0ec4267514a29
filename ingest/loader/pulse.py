"""Notices that this process stood still (SIGSTOP, a frozen virtual machine) long enough to have lost its partitions."""

from kit.clock import Clock
from kit.repeating import Repeating

BEAT_SECONDS = 0.5
STANDSTILL_SECONDS = 7.0
"""Less than the group's session (10 s) by the time between two heartbeats (2 s) and between two beats."""


class Pulse(Repeating):
    """Beats in a thread of its own, which stops only when all of the process does.

    A process that stood still does not know what it owns: Kafka may have given its partitions to another loader, which
    may have come and gone since. What it would insert may be older than ClickHouse's memory of tokens, and what it
    would commit would move the group back. So a pulse that stopped once stays stopped, and the loader ends.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__("pulse", BEAT_SECONDS)
        self._clock = clock
        self._last = clock.monotonic()
        self._stood_still = False

    def turn(self) -> None:
        self._check()
        self._last = self._clock.monotonic()

    @property
    def alive(self) -> bool:
        """Asked by any thread, also before the pulse's own came to run after a standstill."""
        self._check()
        return not self._stood_still

    def _check(self) -> None:
        if self._clock.monotonic() - self._last > STANDSTILL_SECONDS:
            self._stood_still = True
