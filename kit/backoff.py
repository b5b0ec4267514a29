"""Pauses before a process that ended is started again."""

from kit.clock import Clock


class Backoff:
    """Computes the pause before a process is started again, in seconds: `first`, then twice the previous pause.

    A pause is at most `longest`. After a run of at least `stable_after` seconds, the next pause is `first` again.
    """

    def __init__(self, clock: Clock, first: float, longest: float, stable_after: float) -> None:
        self._clock = clock
        self._first = first
        self._longest = longest
        self._stable_after = stable_after
        self._next = first
        self._started: float | None = None

    def started(self) -> None:
        """Notes that a run begins now."""
        self._started = self._clock.monotonic()

    def ended(self) -> float:
        """Notes that a run ended now, and returns the seconds to wait before the next."""
        if self._started is not None and self._clock.monotonic() - self._started >= self._stable_after:
            self._next = self._first
        pause = self._next
        self._next = min(self._next * 2, self._longest)
        return pause
