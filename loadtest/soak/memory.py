"""Samples the resident memory of a stack's services during a run, and separates its growth from its noise."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import linear_regression, median
from typing import Final, Self

from kit.clock import Clock
from kit.errors import NotFound
from loadtest.background import Background
from loadtest.percentile import percentile
from loadtest.process_stat import family_status_bytes

POINTS: Final = 120
"""Points of a run. Each is the median of SAMPLES_PER_POINT samples."""
SAMPLES_PER_POINT: Final = 6
SETTLING_SHARE: Final = 0.25
"""Share (0 to 1) of a run at its start that is left out of the trend, because caches and heaps fill then."""
_MIB: Final = 2**20


@dataclass(frozen=True, slots=True)
class Trend:
    """Line of least squares through the points after the settling time, in MiB."""

    growth: float
    """Difference between the line's end and its start."""
    noise: float
    """Distance from the line that 95 % of the points do not exceed."""
    median: float

    @classmethod
    def of(cls, points: Sequence[float]) -> Self:
        """Returns the trend of a run's points, which have equal distances. Raises ValueError for less than two."""
        settled = points[round(len(points) * SETTLING_SHARE) :]
        line = linear_regression(range(len(settled)), settled)
        apart = [abs(point - line.intercept - line.slope * place) for place, point in enumerate(settled)]
        return cls(line.slope * (len(settled) - 1), percentile(apart, 0.95), median(settled))


class MemoryWatch(Background):
    """Samples the memory of processes and their descendants within the block, for `seconds`.

    `mib` has the points of each process by name. A process that has ended counts as 0 from then on.
    """

    def __init__(self, pids: Mapping[str, int], seconds: float, clock: Clock) -> None:
        super().__init__("memory")
        self.mib: dict[str, list[float]] = {name: [] for name in pids}
        self._pids = pids
        self._seconds = seconds
        self._clock = clock

    def work(self) -> None:
        started = self._clock.monotonic()
        samples: dict[str, list[float]] = {name: [] for name in self._pids}
        for number in range(1, POINTS * SAMPLES_PER_POINT + 1):
            due = started + number * self._seconds / (POINTS * SAMPLES_PER_POINT)
            if self.stopping.wait(max(0.0, due - self._clock.monotonic())):
                return
            for name, pid in self._pids.items():
                samples[name].append(_resident_mib(pid))
            if number % SAMPLES_PER_POINT == 0:
                for name, values in samples.items():
                    self.mib[name].append(median(values))
                    values.clear()


def _resident_mib(pid: int) -> float:
    with suppress(NotFound):
        return family_status_bytes(pid, "VmRSS") / _MIB
    return 0.0
