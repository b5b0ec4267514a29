"""Makes the report of a study's steps: results of each candidate, the Pareto front, the recommended indexes."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Final

from kit.errors import InvalidRequest
from loadtest.tune.candidates import Candidate
from loadtest.tune.run import Step, Study
from loadtest.tune.study import MAX_INDEX_SHARE, CandidateResult, TuneReport

_ALIKE: Final = 1.05
"""Factor of the fastest search time within which candidates count as equally fast."""


def tune_report(study: Study, steps: Sequence[Step], tokens: Mapping[int, float], *, smoke: bool) -> TuneReport:
    """Returns the report of all steps. Raises InvalidRequest if no candidate was measured."""
    found = results(study.candidates, steps)
    best = {kind: recommended(found, kind) for kind in MAX_INDEX_SHARE}
    return TuneReport(
        smoke=smoke,
        rows=study.corpus.rows,
        size=study.corpus.size,
        tenants=study.corpus.tenants,
        rounds=study.rounds,
        write_rows=study.write_rows,
        candidates=tuple(found),
        front=tuple(each.name for each in front(found)),
        recommended={kind: each.name if each else None for kind, each in best.items()},
        errors=tuple(f"round {step.round + 1}, {step.candidate}: {step.error}" for step in steps if step.error),
        tokens=dict(tokens),
    )


def results(candidates: Sequence[Candidate], steps: Sequence[Step]) -> list[CandidateResult]:
    """Returns one result for each candidate that was measured at least once.

    Raises InvalidRequest if there is none.
    """
    measured = [step for step in steps if step.error is None]
    by_candidate = {each: [step for step in measured if step.candidate == each.name] for each in candidates}
    found = [_result(candidate, own) for candidate, own in by_candidate.items() if own]
    if not found:
        raise InvalidRequest("nothing was measured: the journal has only errors")
    return found


def front(found: Sequence[CandidateResult]) -> list[CandidateResult]:
    """Returns the candidates that no other beats in both search time and index size, the smallest index first."""
    best: list[CandidateResult] = []
    for each in sorted(found, key=lambda result: (result.index_share, result.seconds)):
        if not best or each.seconds < best[-1].seconds:
            best.append(each)
    return best


def recommended(found: Sequence[CandidateResult], kind: str) -> CandidateResult | None:
    """Returns the recommended candidate of a kind: the fastest whose index is small enough.

    Of candidates that count as equally fast, returns the one with the least CPU time for inserts and merges. Returns
    None if no index is small enough.
    """
    fitting = [each for each in found if each.kind == kind and each.index_share <= MAX_INDEX_SHARE[kind]]
    fastest = min((each.seconds for each in fitting), default=0.0)
    alike = [each for each in fitting if each.seconds <= fastest * _ALIKE]
    return min(alike, key=lambda each: each.insert_cpu + each.merge_cpu, default=None)


def _result(candidate: Candidate, steps: Sequence[Step]) -> CandidateResult:
    by_case = {name: statistics.median(step.seconds[name] for step in steps) for name in steps[0].seconds}
    return CandidateResult(
        name=candidate.name,
        kind=candidate.kind,
        type=candidate.type,
        rounds=len(steps),
        seconds=statistics.geometric_mean(by_case.values()),
        by_case=by_case,
        index_share=statistics.median(step.index_share for step in steps),
        build_seconds=statistics.median(step.build_seconds for step in steps),
        insert_cpu=statistics.median(step.insert_cpu for step in steps),
        merge_cpu=statistics.median(step.merge_cpu for step in steps),
    )
