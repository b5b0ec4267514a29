"""Profiles of the study: rates over time, and the thresholds that a run must keep."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from loadtest.corpus.records import LARGE, SMALL, Shape


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a run: `rate` records per second for `seconds`."""

    seconds: float
    rate: float


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Limits that a run must keep.

    `p99_seconds` limits the time from when a request was due to its answer, so that it includes delays of the sender.
    `behind_seconds` limits the delay of the sender itself: if it is later, the run says nothing. `refused_share` is the
    largest share (0 to 1) of records without acknowledgement.
    """

    p99_seconds: float
    behind_seconds: float
    refused_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Profile:
    """A run: its number of tenants, the shape of its records, its stages and thresholds."""

    about: str
    tenants: int
    shape: Shape
    stages: tuple[Stage, ...]
    thresholds: Thresholds

    @property
    def seconds(self) -> float:
        return sum(stage.seconds for stage in self.stages)


PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        "smoke": Profile(
            "A few seconds at a low rate, to see that records are acknowledged and stored. Its limits are too wide for "
            "a measurement.",
            tenants=2,
            shape=SMALL,
            stages=(Stage(1, 1_000),),
            thresholds=Thresholds(p99_seconds=20.0, behind_seconds=20.0),
        ),
        "steady": Profile(
            "Five minutes at a rate well below what a small machine can do.",
            tenants=8,
            shape=LARGE,
            stages=(Stage(300, 1_000),),
            thresholds=Thresholds(p99_seconds=0.5, behind_seconds=1.0),
        ),
        "burst": Profile(
            "Five times the rate for half a minute, as after a deployment that logs errors, then the first rate again.",
            tenants=8,
            shape=LARGE,
            stages=(Stage(60, 500), Stage(30, 2_500), Stage(60, 500)),
            thresholds=Thresholds(p99_seconds=2.0, behind_seconds=2.0, refused_share=0.01),
        ),
    }
)
"""Profiles by name."""
