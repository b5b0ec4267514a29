"""What the study measured, as its findings."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Final

from loadtest.hostile.catalog import NAMES
from loadtest.hostile.findings import MIB, Beside, Felt, Goals, HostileFindings
from loadtest.hostile.measure import Attacked, Measured
from loadtest.hostile.phase import Felts
from loadtest.percentile import percentile

GOALS: Final = Goals(
    ratio=2.0,
    searchable_seconds=10.0,
    names=NAMES,
    names_answer_seconds=5.0,
    names_clickhouse_bytes=500 * MIB,
    names_searchable_seconds=5.0,
)


def found(measured: Measured, *, timed: bool) -> HostileFindings:
    """With `timed` every goal decides whether it passed; without, those that do not depend on the machine's speed."""
    first, last = measured.first.felt, measured.last.felt
    difference = measured.verdict.difference
    findings = HostileFindings(
        first=_felt(first),
        last=_felt(last),
        alone=_felt({name: first[name].and_later(last[name]) for name in first}),
        attacks=tuple(_beside(each, measured) for each in measured.attacked),
        goals=GOALS,
        bounds=measured.bounds.in_words(),
        dead_letters=dict(measured.dead_letters),
        lost=len(difference.lost),
        doubled=len(difference.doubled),
        foreign=len(difference.foreign),
    )
    firm = findings.wrong == 0 and all(
        each.as_documented and not each.over_bound and not each.ended for each in findings.attacks
    )
    return findings.model_copy(update={"passed": findings.met() if timed else firm})


def _beside(attacked: Attacked, measured: Measured) -> Beside:
    attack, footprint = attacked.attack, attacked.phase.footprint
    return Beside(
        name=attack.name,
        does=attack.does,
        documented=str(attack.documented),
        answers=dict(attacked.answers),
        as_documented=attack.documented.is_met_by(attacked.answers),
        seconds=attacked.seconds,
        felt=_felt(attacked.phase.felt),
        growth=footprint.growth,
        peak=dict(footprint.peak),
        over_bound=tuple(measured.bounds.exceeded_by(footprint)),
        ended=footprint.ended,
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
