"""Runs the study in rounds over all candidates, so that slow phases of the machine do not affect only one of them."""

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from loadtest.bench import Say
from loadtest.journal import Journal
from loadtest.tune.calculator import proposals
from loadtest.tune.candidates import Candidate, Granules
from loadtest.tune.sample import Sample
from loadtest.tune.store import TuneStore
from loadtest.tune.study import CandidateResult, TuneReport
from loadtest.tune.suite import Case, cases, pick_words, run_suite
from loadtest.tune.write_cost import INSERTS, read_batches, write_cost

_WRITE_SHARE: Final = 25
"""Number of records, divided by that of the records of which the cost of writing is measured."""
_MAX_WRITTEN: Final = 40_000
"""Largest number of records of which the cost of writing is measured."""
_MAX_WRITTEN_BYTES: Final = 512 * 2**20
"""Largest size of these records before compression. They are held in memory."""
_MEDIANS: Final = (
    *("rows_read", "granules", "search_memory", "index_share", "build_seconds"),
    *("insert_cpu", "merge_cpu", "write_memory", "written"),
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The records, the candidates that do not depend on them, the number of rounds and the seed.

    `records` describes the records: their number and the size of their bodies, or the tenant that they are from.
    """

    records: str
    candidates: tuple[Candidate, ...]
    rounds: int
    seed: int

    @property
    def granules(self) -> tuple[Granules, ...]:
        """The kinds of granules, each of which needs a table."""
        return tuple(dict.fromkeys(each.granules for each in self.candidates))


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The filled tables, what they have, the searches, and the rows of which the cost of writing is measured."""

    store: TuneStore
    sample: Sample
    suite: Sequence[Case]
    batches: Sequence[bytes]

    def measure(self, candidate: Candidate) -> CandidateResult:
        store, table = self.store, self.store.table(candidate.granules)
        build_seconds = store.only(candidate)
        costs = run_suite(store.client, candidate, table, self.sample, self.suite)
        index_share = store.index_share(candidate)
        store.drop(candidate.granules)
        return CandidateResult(
            name=candidate.name,
            kind=candidate.kind,
            type=candidate.type,
            seconds=statistics.geometric_mean(each.seconds for each in costs.values()),
            by_case={name: each.seconds for name, each in costs.items()},
            rows_read=statistics.mean(each.rows for each in costs.values()),
            granules=statistics.mean(each.granules for each in costs.values()),
            search_memory=max(each.memory for each in costs.values()),
            index_share=index_share,
            build_seconds=build_seconds,
            **write_cost(store.client, candidate, self.batches)._asdict(),
        )


def run_rounds(
    store: TuneStore, comparison: Comparison, fill: Callable[[str], None], journal: Journal[CandidateResult], say: Say
) -> TuneReport:
    """Measures each candidate in each round. Measurements that the journal already has are not repeated.

    `fill` fills the first table. Raises InvalidRequest if there are too few records to choose words from.
    """
    store.prepare(comparison.granules, fill)
    first = store.table(comparison.granules[0])
    sample = Sample.of(store.client, first)
    suite = cases(pick_words(store.client, first, sample, comparison.seed), sample)
    write_rows = rows_to_write(sample)
    prepared = _Prepared(store, sample, suite, read_batches(store.client, first, write_rows))
    words = {granules: store.words_of_a_granule(granules) for granules in comparison.granules}
    candidates = (*comparison.candidates, *proposals(words, comparison.candidates))
    done = Counter(each.name for each in journal.steps)
    for number, candidate in product(range(comparison.rounds), candidates):
        if number >= done[candidate.name]:
            say(f"round {number + 1} of {comparison.rounds}: {candidate.name}")
            journal.add(prepared.measure(candidate))
    return TuneReport(
        rows=sample.rows,
        size=comparison.records,
        rounds=comparison.rounds,
        write_rows=write_rows,
        candidates=tuple(
            medians([step for step in journal.steps if step.name == candidate.name]) for candidate in candidates
        ),
        words={str(granules): number for granules, number in words.items()},
    )


def rows_to_write(sample: Sample) -> int:
    """Returns the number of records of which the cost of writing is measured: a 25th of all, and few enough to be held
    in memory."""
    fitting = _MAX_WRITTEN_BYTES * sample.rows // max(1, sample.bytes)
    return max(1, min(sample.rows // _WRITE_SHARE, _MAX_WRITTEN, fitting) // INSERTS) * INSERTS


def medians(rounds: Sequence[CandidateResult]) -> CandidateResult:
    """Returns the medians of a candidate's measurements, with the least and the most search time of a round."""
    by_case = {name: statistics.median(each.by_case[name] for each in rounds) for name in rounds[0].by_case}
    found = {name: statistics.median(getattr(each, name) for each in rounds) for name in _MEDIANS}
    times = [each.seconds for each in rounds]
    return rounds[0].model_copy(
        update={
            "seconds": statistics.geometric_mean(by_case.values()),
            "least_seconds": min(times),
            "most_seconds": max(times),
            "by_case": by_case,
            **found,
        }
    )
