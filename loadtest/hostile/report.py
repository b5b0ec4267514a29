"""What the study measured, as its findings."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Final

from loadtest.hostile.attack import Answers, Attack
from loadtest.hostile.catalog import NAMES
from loadtest.hostile.findings import MIB, Beside, Felt, Goals, HostileFindings
from loadtest.hostile.footprint import MemoryBounds
from loadtest.hostile.phase import Felts, Phase
from loadtest.hostile.steps import Step, attacked, dead_letters, stretches, together
from loadtest.percentile import percentile

GOALS: Final = Goals(
    ratio=2.0,
    searchable_seconds=10.0,
    names=NAMES,
    names_answer_seconds=5.0,
    names_clickhouse_bytes=500 * MIB,
    names_searchable_seconds=5.0,
)


def found(steps: Sequence[Step], bounds: MemoryBounds, *, timed: bool) -> HostileFindings:
    """With `timed` every goal decides whether it passed; without, those that do not depend on the machine's speed."""
    alone = stretches(steps)
    findings = HostileFindings(
        first=_felt(alone[0]),
        last=_felt(alone[-1]),
        alone=_felt(together(alone)),
        attacks=attacked(steps),
        goals=GOALS,
        bounds=bounds.in_words(),
        dead_letters=dead_letters(steps),
        lost=sum(step.lost for step in steps),
        doubled=sum(step.doubled for step in steps),
        foreign=sum(step.foreign for step in steps),
    )
    firm = findings.wrong == 0 and all(
        each.as_documented and not each.over_bound and not each.ended for each in findings.attacks
    )
    return findings.model_copy(update={"passed": findings.met() if timed else firm})


def beside(attack: Attack, answers: Answers, seconds: float, phase: Phase, bounds: MemoryBounds) -> Beside:
    """One attack as a part of the findings."""
    return Beside(
        name=attack.name,
        does=attack.does,
        documented=str(attack.documented),
        answers=dict(answers),
        as_documented=attack.documented.is_met_by(answers),
        seconds=seconds,
        felt=_felt(phase.felt),
        growth=phase.footprint.growth,
        peak=dict(phase.footprint.peak),
        over_bound=tuple(bounds.exceeded_by(phase.footprint)),
        ended=phase.footprint.ended,
    )


def _felt(victims: Mapping[str, Felts]) -> Felt:
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
    """None where it is infinite, or where there is none because nothing was even acknowledged."""
    value = percentile(seconds, 0.99) if seconds else inf
    return None if value == inf else value
