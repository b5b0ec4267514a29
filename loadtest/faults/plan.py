"""Plans of faults and their times, decided by a seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from loadtest.services import PIPELINE


class Kind(StrEnum):
    kill = "kill"  # SIGKILL; the supervisor starts it again
    pause = "pause"  # SIGSTOP, SIGCONT some seconds later; what follows may happen meanwhile
    cut = "cut"  # connections of clients break, some of them in the middle of a request


@dataclass(frozen=True, slots=True)
class Fault:
    """`after` seconds after the one before (with `overlapping`) or after the recovery from it."""

    kind: Kind
    after: float
    overlapping: bool
    target: str = ""
    pause_seconds: float = 0.0

    def __str__(self) -> str:
        """Describes the fault in a line of progress."""
        what = {Kind.kill: f"kill {self.target}", Kind.cut: "cut connections"}.get(
            self.kind, f"pause {self.target} for {self.pause_seconds:.1f} s"
        )
        return f"{what}, {self.after:.2f} s after the {'fault' if self.overlapping else 'recovery'} before"


_PAUSE_OFTEN: Final = 0.4
_CUT_OFTEN: Final = 0.4
_OVERLAP_OFTEN: Final = 0.3


def plan(seed: int, kills: int, targets: Sequence[str] = PIPELINE) -> tuple[Fault, ...]:
    """Spreads the kills evenly over the targets in random order, with pauses and cuts in between."""
    rng = random.Random(seed)
    faults: list[Fault] = []
    for target in _spread(rng, kills, targets):
        if rng.random() < _PAUSE_OFTEN:
            # Mostly short; sometimes longer than Kafka keeps a silent loader in its group (10 s).
            seconds = rng.uniform(0.3, 4.0) if rng.random() < 0.85 else rng.uniform(8.0, 14.0)
            faults.append(Fault(Kind.pause, rng.uniform(0.2, 2.0), False, rng.choice(targets), seconds))
        if rng.random() < _CUT_OFTEN:
            faults.append(Fault(Kind.cut, rng.uniform(0.0, 1.0), rng.random() < 0.5))
        overlapping = bool(faults) and (faults[-1].kind is not Kind.kill or rng.random() < _OVERLAP_OFTEN)
        after = rng.uniform(0.0, 2.0) if overlapping else rng.uniform(0.2, 3.0)
        faults.append(Fault(Kind.kill, after, overlapping, target))
    return tuple(faults)


def _spread(rng: random.Random, kills: int, targets: Sequence[str]) -> list[str]:
    order: list[str] = []
    while len(order) < kills:
        order += rng.sample(targets, len(targets))
    return order[:kills]
