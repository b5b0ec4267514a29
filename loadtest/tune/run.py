"""Runs the study in rounds over all candidates, so that slow phases of the machine do not affect only one of them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit.errors import LogsieveError
from loadtest.bench import Bench
from loadtest.corpus.rows import Corpus
from loadtest.journal import Journal
from loadtest.tune.candidates import Candidate
from loadtest.tune.measure import run_suite
from loadtest.tune.step import Step
from loadtest.tune.store import TuneStore
from loadtest.tune.suite import Case, cases, pick_words
from loadtest.tune.write_cost import write_cost

_TRIES: Final = 3
_BACKOFF_SECONDS: Final = (2.0, 8.0)
_WRITE_SHARE: Final = 25
_MAX_WRITTEN: Final = 40_000
_INSERTS: Final = 4
_GRANULES: Final = 4


@dataclass(frozen=True, slots=True)
class Study:
    """The candidates, the corpus of their tables, and the number of rounds."""

    corpus: Corpus
    candidates: tuple[Candidate, ...]
    rounds: int

    @property
    def granularities(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(candidate.table_granularity for candidate in self.candidates))


class Tuner:
    """Runs the steps of a study.

    Steps that the journal already has are not repeated. A step that fails three times is added with its error.
    """

    def __init__(self, bench: Bench, client: Client, study: Study, journal: Journal[Step]) -> None:
        self._client = client
        self._study = study
        self._journal = journal
        self._clock = bench.clock
        self._say = bench.say
        self._store = TuneStore(client, study.corpus, bench.say)

    def run(self) -> None:
        """Measures each candidate in each round, and adds the steps to the journal."""
        study = self._study
        for granularity in study.granularities:
            # A killed run may have left an index in a table, which `prepare` would fill and merge too.
            self._store.drop_if_exists(granularity)
        self._store.prepare(study.granularities)
        first = self._store.table(study.granularities[0])
        suite = cases(pick_words(self._client, first, study.corpus.seed))
        done = {(step.round, step.candidate) for step in self._journal.steps}
        todo = [
            (number, candidate)
            for number in range(study.rounds)
            for candidate in study.candidates
            if (number, candidate.name) not in done
        ]
        started = self._clock.monotonic()
        for place, (number, candidate) in enumerate(todo):
            left = (self._clock.monotonic() - started) / place * (len(todo) - place) if place else 0.0
            about = f", about {left / 60:.0f} min left" if place else ""
            self._say(f"round {number + 1}/{study.rounds}, {place + 1}/{len(todo)}: {candidate.name}{about}")
            self._journal.add(self._tried(number, candidate, suite))

    def tokens_per_granule(self) -> dict[int, float]:
        """Returns the average number of distinct words in a granule, by the granule's number of rows."""
        return {each: self._store.tokens_per_granule(each, _GRANULES) for each in sorted(self._study.granularities)}

    def _tried(self, number: int, candidate: Candidate, suite: Sequence[Case]) -> Step:
        for attempt in range(_TRIES):
            try:
                return self._step(number, candidate, suite)
            except (LogsieveError, Error, OSError) as error:
                self._say(f"{candidate.name}: {error}")
                failure = str(error)
                if attempt < len(_BACKOFF_SECONDS):
                    time.sleep(_BACKOFF_SECONDS[attempt])
        return Step(round=number, candidate=candidate.name, error=failure)

    def _step(self, number: int, candidate: Candidate, suite: Sequence[Case]) -> Step:
        store, corpus = self._store, self._study.corpus
        build_seconds = store.only(candidate)
        table = store.table(candidate.table_granularity)
        results = run_suite(self._client, candidate, table, corpus, suite)
        size = store.size(candidate)
        store.drop(candidate.table_granularity)
        written = min(corpus.rows // _WRITE_SHARE, _MAX_WRITTEN)
        cost = write_cost(self._client, table, candidate, written, _INSERTS)
        return Step(
            round=number,
            candidate=candidate.name,
            build_seconds=build_seconds,
            index_bytes=size.index,
            table_bytes=size.table,
            raw_bytes=size.raw,
            insert_cpu=cost.insert_cpu,
            merge_cpu=cost.merge_cpu,
            write_rows=cost.rows,
            cases=results,
        )
