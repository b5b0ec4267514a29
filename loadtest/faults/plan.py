"""Plans the kind, target and time of each fault from a seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar

from loadtest.services import PIPELINE

Target = TypeVar("Target")


class Kind(StrEnum):
    kill = "kill"  # SIGKILL; the supervisor starts the process again
    pause = "pause"  # SIGSTOP, and SIGCONT some seconds later; further faults may occur in between
    cut = "cut"  # connections of clients are reset, some of them in the middle of a request


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, and its time in seconds.

    With `overlapping`, the fault occurs `after` seconds after the previous fault, otherwise `after` seconds after the
    recovery from it.
    """

    kind: Kind
    after: float
    overlapping: bool
    target: str = ""
    pause_seconds: float = 0.0

    def __str__(self) -> str:
        what = f"{self.kind} {self.target or 'connections'}"
        if self.kind is Kind.pause:
            what += f" for {self.pause_seconds:.1f} s"
        return f"{what}, {self.after:.2f} s after the {'fault' if self.overlapping else 'recovery'} before"


_PAUSE_OFTEN: Final = 0.4
_CUT_OFTEN: Final = 0.4
_OVERLAP_OFTEN: Final = 0.3


def plan(seed: int, kills: int, targets: Sequence[str] = PIPELINE) -> tuple[Fault, ...]:
    """Returns `kills` kills, spread evenly over the targets in random order, with pauses and cuts in between."""
    rng = random.Random(seed)
    faults: list[Fault] = []
    for target in spread(rng, kills, targets):
        if rng.random() < _PAUSE_OFTEN:
            # Most pauses are short. Some are longer than the 10 s after which Kafka removes a silent loader from its
            # group.
            seconds = rng.uniform(0.3, 4.0) if rng.random() < 0.85 else rng.uniform(8.0, 14.0)
            faults.append(Fault(Kind.pause, rng.uniform(0.2, 2.0), False, rng.choice(targets), seconds))
        if rng.random() < _CUT_OFTEN:
            faults.append(Fault(Kind.cut, rng.uniform(0.0, 1.0), rng.random() < 0.5))
        overlapping = bool(faults) and (faults[-1].kind is not Kind.kill or rng.random() < _OVERLAP_OFTEN)
        after = rng.uniform(0.0, 2.0) if overlapping else rng.uniform(0.2, 3.0)
        faults.append(Fault(Kind.kill, after, overlapping, target))
    return tuple(faults)


def spread(rng: random.Random, kills: int, targets: Sequence[Target]) -> list[Target]:
    """Returns `kills` targets in random order, each equally often."""
    order: list[Target] = []
    while len(order) < kills:
        order += rng.sample(targets, len(targets))
    return order[:kills]
