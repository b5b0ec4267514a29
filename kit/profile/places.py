"""Lists the functions in which threads were, with their shares of wall-clock time and of CPU time. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kit.profile.stacks import Profile, Stack, Stacks
from kit.profile.wait_frames import INNERMOST, wait_in

WAITS_FROM: Final = 2.0
"""Ratio of a place's share of Real to its share of CPU above which the place counts as waiting."""
_SMALLEST: Final = 0.005
"""Smallest share of Real from which a place is marked as waiting."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the code where threads spend time.

    `frame`: innermost function outside those that only wait. `waits_in`: the function in which it waits, empty if the
    thread was running.
    """

    frame: str
    waits_in: str
    real: float
    """Share of the samples by wall-clock time, 0 to 1."""
    cpu: float
    """Share of the samples by CPU time, 0 to 1."""

    @property
    def waits(self) -> bool:
        """True if threads in this place mostly waited."""
        return self.real >= _SMALLEST and self.real > WAITS_FROM * self.cpu


def places(profile: Profile) -> Sequence[Place]:
    """Returns all places, those with the largest share of Real or CPU first. The shares of each kind sum to 1."""
    real, cpu = _counted(profile.real), _counted(profile.cpu)
    whole_real, whole_cpu = max(1, real.total()), max(1, cpu.total())
    found = [
        Place(frame, waits_in, real[frame, waits_in] / whole_real, cpu[frame, waits_in] / whole_cpu)
        for frame, waits_in in real | cpu
    ]
    return sorted(found, key=lambda place: (-max(place.real, place.cpu), place.frame, place.waits_in))


def _counted(stacks: Stacks) -> Counter[tuple[str, str]]:
    counted: Counter[tuple[str, str]] = Counter()
    for stack, count in stacks.items():
        counted[_place(stack)] += count
    return counted


def _place(stack: Stack) -> tuple[str, str]:
    outermost_wait = None
    for place in range(len(stack) - 1, max(0, len(stack) - INNERMOST - 1), -1):
        if wait_in(stack[place]) is not None:
            outermost_wait = place
    if outermost_wait is None:
        return stack[-1], ""
    return stack[outermost_wait - 1], stack[outermost_wait].partition("@")[0]
