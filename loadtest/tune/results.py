"""What the steps of a study come to: a line a candidate, the Pareto front, the recommended profile."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from kit.errors import InvalidRequest
from loadtest.tune.candidates import Candidate
from loadtest.tune.step import Step

MOST_INDEX_SHARE: Final = {"tokenbf": 0.04, "text": 0.11}
"""Index bytes over raw bytes that a default may have (docs/benchmarks/tune.md)."""


@dataclass(frozen=True, slots=True)
class Result:
    """A candidate over all its rounds: medians, `seconds` the geometric mean over the cases of their medians."""

    candidate: Candidate
    rounds: int
    seconds: float
    by_case: dict[str, float]
    index_share: float
    build_seconds: float
    insert_cpu: float
    merge_cpu: float


def results(candidates: Sequence[Candidate], steps: Sequence[Step]) -> list[Result]:
    """One for each candidate that was measured at least once. Raises InvalidRequest when there is none."""
    found = []
    for candidate in candidates:
        own = [step for step in steps if step.candidate == candidate.name and step.error is None]
        if own:
            found.append(_result(candidate, own))
    if not found:
        raise InvalidRequest("nothing was measured: the journal has only errors")
    return found


def front(found: Sequence[Result]) -> list[Result]:
    """Those that no other beats in both search time and index size, the smallest first."""
    best: list[Result] = []
    for each in sorted(found, key=lambda result: (result.index_share, result.seconds)):
        if not best or each.seconds < best[-1].seconds:
            best.append(each)
    return best


def recommended(found: Sequence[Result], kind: str) -> Result | None:
    """Of a kind, the fastest whose index is no larger than it may be; near ties go to the cheaper insert."""
    fitting = [each for each in found if each.candidate.kind == kind and each.index_share <= MOST_INDEX_SHARE[kind]]
    if not fitting:
        return None
    fastest = min(each.seconds for each in fitting)
    alike = [each for each in fitting if each.seconds <= fastest * _ALIKE]
    return min(alike, key=lambda each: each.insert_cpu + each.merge_cpu)


_ALIKE: Final = 1.05


def _result(candidate: Candidate, steps: Sequence[Step]) -> Result:
    names = [case.case for case in steps[0].cases]
    by_case = {
        name: median(case.seconds for step in steps for case in step.cases if case.case == name) for name in names
    }
    return Result(
        candidate=candidate,
        rounds=len(steps),
        seconds=math.exp(sum(math.log(value) for value in by_case.values()) / len(by_case)),
        by_case=by_case,
        index_share=median(step.index_bytes / step.raw_bytes for step in steps),
        build_seconds=median(step.build_seconds for step in steps),
        insert_cpu=median(step.insert_cpu for step in steps),
        merge_cpu=median(step.merge_cpu for step in steps),
    )
