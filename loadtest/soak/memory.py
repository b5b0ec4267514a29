"""Samples the resident memory of a stack's services during a run, and separates its growth from its noise."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import linear_regression, median
from typing import Final, Self

from kit.clock import Clock
from kit.errors import NotFound
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


def sample_memory(
    pids: Mapping[str, int], seconds: float, clock: Clock, mib: Mapping[str, list[float]], stopping: threading.Event
) -> None:
    """Samples the memory of processes and their descendants for `seconds`, or until `stopping` is set.

    Adds the points of each process to its list in `mib`, by name. A process that has ended counts as 0 from then on.
    """
    started = clock.monotonic()
    samples: dict[str, list[float]] = {name: [] for name in pids}
    for number in range(1, POINTS * SAMPLES_PER_POINT + 1):
        due = started + number * seconds / (POINTS * SAMPLES_PER_POINT)
        if stopping.wait(max(0.0, due - clock.monotonic())):
            return
        for name, pid in pids.items():
            samples[name].append(_resident_mib(pid))
        if number % SAMPLES_PER_POINT == 0:
            for name, values in samples.items():
                mib[name].append(median(values))
                values.clear()


def _resident_mib(pid: int) -> float:
    with suppress(NotFound):
        return family_status_bytes(pid, "VmRSS") / _MIB
    return 0.0
