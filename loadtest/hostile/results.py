"""Makes the report of the study from the phases that were measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from loadtest.hostile.attack import Answers, Attack
from loadtest.hostile.footprint import Footprint, MemoryBounds
from loadtest.hostile.report import Beside, Felt, HostileReport
from loadtest.hostile.victim import Felts
from loadtest.percentile import percentile
from loadtest.report.correctness import Correctness

VictimTimes = Mapping[str, Felts]
"""Times of a phase, by victim."""


@dataclass(frozen=True, slots=True)
class Phase:
    """Measurements of a phase: the victims' times, and the memory of the stack's processes."""

    felt: VictimTimes
    footprint: Footprint


def hostile_report(
    alone: tuple[VictimTimes, VictimTimes],
    attacks: Sequence[Beside],
    bounds: MemoryBounds,
    dead_letters: Mapping[str, int],
    wrong: Correctness,
) -> HostileReport:
    """Returns the report. `alone` has the victims' times before and after all attacks."""
    first, last = alone
    return HostileReport(
        first=_felt(first),
        last=_felt(last),
        alone=_felt({name: felt.and_later(last[name]) for name, felt in first.items()}),
        attacks=tuple(attacks),
        bounds=bounds.in_words(),
        dead_letters=dict(dead_letters),
        **dict(wrong),
    )


def beside(attack: Attack, answers: Answers, seconds: float, phase: Phase, bounds: MemoryBounds) -> Beside:
    """Returns the report's part about one attack."""
    return Beside(
        name=attack.name,
        does=attack.does,
        documented=attack.documented,
        answers=dict(answers),
        as_documented=attack.is_met_by(answers),
        seconds=seconds,
        felt=_felt(phase.felt),
        growth=phase.footprint.growth,
        peak=dict(phase.footprint.peak),
        over_bound=tuple(bounds.exceeded_by(phase.footprint)),
        ended=phase.footprint.ended,
    )


def _felt(victims: VictimTimes) -> Felt:
    searches = [seconds for each in victims.values() for seconds in each.searches]
    return Felt(
        exports=sum(len(each.exports) for each in victims.values()),
        searches=len(searches),
        refused=sum(each.refused for each in victims.values()),
        acknowledged={name: _p99(each.exports) for name, each in victims.items()},
        searchable={name: _p99(each.delays) for name, each in victims.items()},
        search=_p99(searches),
    )


def _p99(seconds: Sequence[float]) -> float | None:
    """Returns the 99th percentile. Returns None if it is infinite, or if there are no values."""
    value = percentile(seconds, 0.99) if seconds else inf
    return None if value == inf else value
