"""Steps of the study, which the journal keeps, and the report that is made of them."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from loadtest.hostile.attack import Answers, Attack
from loadtest.hostile.footprint import MemoryBounds
from loadtest.hostile.profile import Profile
from loadtest.hostile.report import Beside, Felt, HostileReport
from loadtest.hostile.stage import Phase
from loadtest.hostile.victim import Felts
from loadtest.journal import Journal
from loadtest.percentile import percentile


class Step(BaseModel):
    """A phase of the victims alone or beside one attack.

    `lost`, `doubled` and `foreign` count the victims' records that became wrong during the step.
    """

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="constants")

    alone: dict[str, Felts] | None = None
    """Times by victim, or None for the step of an attack."""
    beside: Beside | None = None
    lost: int = 0
    doubled: int = 0
    foreign: int = 0
    dead_letters: dict[str, int] = {}
    """Messages that became dead letters during the step, by error code."""


def open_journal(
    folder: Path, profile: Profile, attacks: Sequence[Attack], seed: int, commit: str | None
) -> Journal[Step]:
    """Returns the journal of this study, with the steps of an earlier run that was killed.

    Each combination of commit, seed, profile and attacks has a separate journal.
    """
    study = repr((commit, seed, profile, [attack.name for attack in attacks]))
    return Journal(folder / f"{hashlib.sha256(study.encode()).hexdigest()[:12]}.jsonl", study, Step)


def attacked(steps: Sequence[Step]) -> tuple[Beside, ...]:
    """Returns the results of the attacks that have a step."""
    return tuple(step.beside for step in steps if step.beside is not None)


def complete(steps: Sequence[Step], attacks: Sequence[Attack]) -> bool:
    """Returns whether all attacks have a step, and the last step is one of the victims alone."""
    return {each.name for each in attacked(steps)} == {each.name for each in attacks} and steps[-1].alone is not None


def hostile_report(steps: Sequence[Step], bounds: MemoryBounds, *, smoke: bool) -> HostileReport:
    """Returns the report of all steps. Raises IndexError if no step is one of the victims alone."""
    alone = [step.alone for step in steps if step.alone is not None]
    together = alone[0]
    for later in alone[1:]:
        together = {name: felt.and_later(later[name]) for name, felt in together.items()}
    return HostileReport(
        smoke=smoke,
        first=_felt(alone[0]),
        last=_felt(alone[-1]),
        alone=_felt(together),
        attacks=attacked(steps),
        bounds=bounds.in_words(),
        dead_letters=dict(sum((Counter(step.dead_letters) for step in steps), Counter())),
        lost=sum(step.lost for step in steps),
        doubled=sum(step.doubled for step in steps),
        foreign=sum(step.foreign for step in steps),
    )


def beside(attack: Attack, answers: Answers, seconds: float, phase: Phase, bounds: MemoryBounds) -> Beside:
    """Returns the report's part about one attack."""
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
    """Returns the 99th percentile. Returns None if it is infinite, or if there are no values."""
    value = percentile(seconds, 0.99) if seconds else inf
    return None if value == inf else value
