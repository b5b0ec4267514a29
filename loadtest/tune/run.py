"""Runs the study in rounds over all candidates, so that slow phases of the machine do not affect only one of them."""

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from clickhouse_connect.driver.client import Client

from loadtest.bench import Say
from loadtest.corpus.rows import Corpus
from loadtest.journal import Journal
from loadtest.tune.candidates import Candidate
from loadtest.tune.store import INSERTS, TuneStore, write_cost
from loadtest.tune.study import CandidateResult, TuneReport
from loadtest.tune.suite import Case, cases, pick_words, run_suite

_WRITE_SHARE: Final = 25
_MAX_WRITTEN: Final = 40_000
_MEDIANS: Final = ("index_share", "build_seconds", "insert_cpu", "merge_cpu")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The candidates, the corpus of their tables, and the number of rounds."""

    corpus: Corpus
    candidates: tuple[Candidate, ...]
    rounds: int

    @property
    def write_rows(self) -> int:
        """Number of rows that are inserted and merged to measure the cost of writing."""
        return min(self.corpus.rows // _WRITE_SHARE, _MAX_WRITTEN) // INSERTS * INSERTS


def run_rounds(client: Client, comparison: Comparison, journal: Journal[CandidateResult], say: Say) -> TuneReport:
    """Measures each candidate in each round. Measurements that the journal already has are not repeated."""
    corpus = comparison.corpus
    store = TuneStore(client, corpus, say)
    granularities = tuple(dict.fromkeys(candidate.table_granularity for candidate in comparison.candidates))
    store.prepare(granularities)
    suite = cases(pick_words(client, store.table(granularities[0]), corpus.seed))
    done = Counter(each.name for each in journal.steps)
    for number, candidate in product(range(comparison.rounds), comparison.candidates):
        if number >= done[candidate.name]:
            say(f"round {number + 1} of {comparison.rounds}: {candidate.name}")
            journal.add(_measure(store, comparison, candidate, suite))
    return TuneReport(
        rows=corpus.rows,
        size=corpus.size,
        rounds=comparison.rounds,
        write_rows=comparison.write_rows,
        candidates=tuple(
            medians([step for step in journal.steps if step.name == candidate.name])
            for candidate in comparison.candidates
        ),
        tokens={each: store.tokens_per_granule(each) for each in sorted(granularities)},
    )


def _measure(store: TuneStore, comparison: Comparison, candidate: Candidate, suite: Sequence[Case]) -> CandidateResult:
    table = store.table(candidate.table_granularity)
    build_seconds = store.only(candidate)
    by_case = run_suite(store.client, candidate, table, comparison.corpus, suite)
    index_share = store.index_share(candidate)
    store.drop(candidate.table_granularity)
    insert_cpu, merge_cpu = write_cost(store.client, table, candidate, comparison.write_rows)
    return CandidateResult(
        name=candidate.name,
        kind=candidate.kind,
        type=candidate.type,
        seconds=statistics.geometric_mean(by_case.values()),
        by_case=by_case,
        index_share=index_share,
        build_seconds=build_seconds,
        insert_cpu=insert_cpu,
        merge_cpu=merge_cpu,
    )


def medians(rounds: Sequence[CandidateResult]) -> CandidateResult:
    """Returns the medians of a candidate's measurements."""
    by_case = {name: statistics.median(each.by_case[name] for each in rounds) for name in rounds[0].by_case}
    found = {name: statistics.median(getattr(each, name) for each in rounds) for name in _MEDIANS}
    seconds = statistics.geometric_mean(by_case.values())
    return rounds[0].model_copy(update={"seconds": seconds, "by_case": by_case, **found})
