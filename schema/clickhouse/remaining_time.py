"""Estimates the remaining time of a job over partitions of known sizes, from its elapsed time."""

from collections.abc import Sequence
from typing import Final

_SMOOTHING: Final = 0.5
"""Weight of the newest estimate. The rest of the weight is that of the previous estimate less the time since then."""


class RemainingTime:
    """Estimates the seconds left each time that partitions are done.

    The cost of a partition is its bytes plus a fixed part, which is the average bytes of a partition. So a small first
    partition counts as some progress.
    """

    def __init__(self, sizes: Sequence[int], started: float) -> None:
        """`sizes` are the bytes of all partitions, `started` is a monotonic time in seconds."""
        self._of_each = max(sum(sizes) / max(len(sizes), 1), 1.0)
        self._left = sum(sizes) + self._of_each * len(sizes)
        self._done = 0.0
        self._started = started
        self._estimate: tuple[float, float] | None = None

    def finish(self, sizes: Sequence[int], now: float) -> float:
        """Notes that partitions of these sizes are done, and returns the seconds left."""
        work = sum(sizes) + self._of_each * len(sizes)
        self._done += work
        self._left = max(self._left - work, 0.0)
        if self._left < 1.0:
            return 0.0
        estimate = (now - self._started) * self._left / self._done
        if self._estimate is not None:
            at, before = self._estimate
            counted_down = max(before - (now - at), 0.0)
            estimate = _SMOOTHING * estimate + (1 - _SMOOTHING) * counted_down
        self._estimate = (now, estimate)
        return estimate
