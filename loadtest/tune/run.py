"""Runs the study in rounds over all candidates, so that slow phases of the machine do not affect only one of them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error
from pydantic import BaseModel, ConfigDict, Field

from kit.errors import LogsieveError
from loadtest.bench import Bench
from loadtest.corpus.rows import Corpus
from loadtest.journal import Journal
from loadtest.tune.candidates import Candidate
from loadtest.tune.store import INSERTS, TuneStore, write_cost
from loadtest.tune.suite import Case, cases, pick_words, run_suite

_TRIES: Final = 3
_BACKOFF_SECONDS: Final = (2.0, 8.0)
_WRITE_SHARE: Final = 25
_MAX_WRITTEN: Final = 40_000
_GRANULES: Final = 4


class Step(BaseModel):
    """A step of the journal: a candidate in one round. If it could not be measured, only `error` is set."""

    model_config = ConfigDict(frozen=True)

    round: int
    candidate: str
    error: str | None = None
    build_seconds: float = 0.0
    index_share: float = 0.0
    """Bytes of the index on disk, divided by the raw bytes of the bodies."""
    insert_cpu: float = 0.0
    """CPU seconds."""
    merge_cpu: float = 0.0
    seconds: dict[str, float] = Field(default_factory=dict)
    """Seconds of each search, by its name."""


@dataclass(frozen=True, slots=True)
class Study:
    """The candidates, the corpus of their tables, and the number of rounds."""

    corpus: Corpus
    candidates: tuple[Candidate, ...]
    rounds: int

    @property
    def write_rows(self) -> int:
        """Number of rows that are inserted and merged to measure the cost of writing."""
        return min(self.corpus.rows // _WRITE_SHARE, _MAX_WRITTEN) // INSERTS * INSERTS

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
            self._store.drop(granularity)
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
        store, table = self._store, self._store.table(candidate.table_granularity)
        build_seconds = store.only(candidate)
        seconds = run_suite(self._client, candidate, table, self._study.corpus, suite)
        index_share = store.index_share(candidate)
        store.drop(candidate.table_granularity)
        insert_cpu, merge_cpu = write_cost(self._client, table, candidate, self._study.write_rows)
        return Step(
            round=number,
            candidate=candidate.name,
            build_seconds=build_seconds,
            index_share=index_share,
            insert_cpu=insert_cpu,
            merge_cpu=merge_cpu,
            seconds=seconds,
        )
