"""Declares `logsieve loadtest tune`: its options, results and goals. A killed study can be continued."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final

import typer
from pydantic import Field

from loadtest.bench import Bench
from loadtest.chart import Axis, bars, scatter
from loadtest.report.report import Part, Picture, Report, Row, Table
from loadtest.study import Home, Smoke, Study

MAX_INDEX_SHARE: Final = {"tokenbf": 0.04, "text": 0.11}
"""Largest ratio of index bytes to raw bytes of bodies for a default index, by kind (docs/benchmarks/tune.md)."""
_ALIKE: Final = 1.05
"""Factor of the fastest search time within which candidates count as equally fast."""
_CALCULATED: Final = (4, 8, 16, 32, 64, 256)
"""Sizes of bloom filters, in KiB, for which the page shows calculated false positives."""
_HASHES: Final = 5
_SHOWN_CASES: Final = ("frequent", "medium", "rare", "absent", "frequent AND rare", "rare OR rare", "phrase")
DATABASE: Final = "tune"
_SILENT_SECONDS: Final = 3_600
"""Longest time, in seconds, that ClickHouse may take to build an index of a partition, or to merge a table."""
_TENANTS: Final = 20
_SMOKE_ROWS: Final = 1_000


class CandidateResult(Part):
    """Measurements of a candidate in one round, or their medians over all rounds.

    `seconds` is the geometric mean of `by_case`. `insert_cpu` and `merge_cpu` are CPU seconds.
    """

    name: str
    kind: str
    type: str | None
    """SQL type of the index, or None for no index."""
    seconds: float
    by_case: dict[str, float] = Field(default_factory=dict)
    """Median seconds of each search. Older results have those of the pictured candidates alone."""
    index_share: float
    """Bytes of the index on disk, divided by the raw bytes of the bodies."""
    build_seconds: float
    insert_cpu: float
    merge_cpu: float


class TuneReport(Report):
    rows: int
    size: str
    rounds: int
    write_rows: int
    """Number of rows that were inserted and merged to measure the cost of writing."""
    candidates: tuple[CandidateResult, ...]
    tokens: dict[int, float]
    """Average number of distinct words in a granule, by the granule's number of rows."""

    def headline(self) -> tuple[Row, ...]:
        return tuple(self._row(kind, limit) for kind, limit in MAX_INDEX_SHARE.items())

    def tables(self) -> tuple[Table, ...]:
        best = front(self.candidates)
        candidates = tuple(
            (
                each.name,
                f"{each.seconds * 1000:.1f}",
                f"{each.index_share:.2%}",
                f"{each.insert_cpu:.2f}",
                f"{each.merge_cpu:.2f}",
                f"{each.build_seconds:.1f}",
                "yes" if each in best else "",
            )
            for each in sorted(self.candidates, key=lambda result: result.seconds)
        )
        head = ("candidate", "search, ms", "index/raw", "insert, s", "merge, s", "build, s", "front")
        of = f"{self.rows:,} records, {self.rounds} rounds; insert and merge of {self.write_rows:,} rows"
        return (Table(f"{len(candidates)} candidates over {of}", head, candidates), self._calculator())

    def pictures(self) -> tuple[Picture, ...]:
        groups: dict[str, dict[str, tuple[float, float]]] = {}
        for each in self.candidates:
            at = (each.index_share * 100, each.seconds * 1000)
            groups.setdefault(each.kind, {})[each.name.removeprefix(each.kind).strip()] = at
        recommended = [recommendation(self.candidates, kind) for kind in MAX_INDEX_SHARE]
        shown = [self._without_index, *(each for each in recommended if each is not None)]
        by_size = partial(
            scatter,
            title="Search time against index size",
            x=Axis("index bytes, % of raw"),
            y=Axis("geometric mean of the suite, ms", logarithmic=True),
            groups=groups,
        )
        by_case = partial(
            bars,
            title="Newest 100 by words of different frequency",
            y=Axis("ms", logarithmic=True),
            groups=_SHOWN_CASES,
            series={each.name: [each.by_case[case] * 1000 for case in _SHOWN_CASES] for each in shown},
        )
        return (
            Picture("tune.svg", "Search time against index size", by_size),
            Picture("tune-cases.svg", "Search time by case", by_case),
        )

    def _calculator(self) -> Table:
        """Returns the table of calculated false positives, by rows of a granule and size of the filter."""
        rows = tuple(
            (
                f"{rows:,}",
                f"{words:,.0f}",
                *(f"{false_positives(kib, _HASHES, words):.2%}" for kib in _CALCULATED),
            )
            for rows, words in self.tokens.items()
        )
        head = ("rows a granule", "distinct words", *(f"{size} KiB" for size in _CALCULATED))
        title = f"Granules without a word that a filter of so many KiB and {_HASHES} hash functions lets through"
        return Table(title, head, rows)

    @property
    def _without_index(self) -> CandidateResult:
        return next(each for each in self.candidates if each.type is None)

    def _row(self, kind: str, limit: float) -> Row:
        what = f"{kind}, {self.rows:,} records of {self.size}: bytes of the recommended index over raw bytes"
        goal = f"at most {limit:.0%}"
        best = recommendation(self.candidates, kind)
        if best is None:
            return Row(what, "none is small enough", goal, False)
        faster = f"{self._without_index.seconds / best.seconds:.0f} times as fast as no index"
        return Row(f"{what}, `{best.type}`, {faster}", f"{best.index_share:.2%}", goal, True)


def front(candidates: Sequence[CandidateResult]) -> list[CandidateResult]:
    """Returns the candidates that no other beats in both search time and index size, the smallest index first."""
    best: list[CandidateResult] = []
    for each in sorted(candidates, key=lambda result: (result.index_share, result.seconds)):
        if not best or each.seconds < best[-1].seconds:
            best.append(each)
    return best


def recommendation(candidates: Sequence[CandidateResult], kind: str) -> CandidateResult | None:
    """Returns the recommended candidate of a kind: the fastest whose index is small enough, or None if none is.

    Of candidates that count as equally fast, returns the one with the least CPU time for inserts and merges.
    """
    fitting = [each for each in candidates if each.kind == kind and each.index_share <= MAX_INDEX_SHARE[kind]]
    fastest = min((each.seconds for each in fitting), default=0.0)
    alike = [each for each in fitting if each.seconds <= fastest * _ALIKE]
    return min(alike, key=lambda each: each.insert_cpu + each.merge_cpu, default=None)


def false_positives(kib: float, hashes: int, tokens: float) -> float:
    """Returns the share of granules that pass a bloom filter of so many KiB although they lack the searched token.

    Each granule has `tokens` distinct tokens.

    Source: Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970): (1 - e^(-kn/m))^k.
    """
    return float((1 - math.exp(-hashes * tokens / (kib * 8_192))) ** hashes)


def run(
    bench: Bench,
    rows: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB.")] = 500_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds over all candidates.")] = 2,
    folder: Home = None,
    smoke: Smoke = False,
) -> TuneReport:
    """Compare indexes over the words of bodies: search time, size, cost of writing.

    If it is interrupted, run it again: it continues where it stopped.
    """
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.journal import Journal
    from loadtest.tune.candidates import ALL, SMOKE
    from loadtest.tune.run import Comparison, run_rounds

    corpus = Corpus(_SMOKE_ROWS if smoke else rows, "4k", _TENANTS, bench.seed, FIXED_DAY_NS)
    comparison = Comparison(corpus, SMOKE, 1) if smoke else Comparison(corpus, ALL, rounds)
    home = (folder or bench.home / "tune").resolve()
    journal = Journal(home / "journal.jsonl", repr(comparison), CandidateResult)
    with bench.stack_in(home, "clickhouse") as stack:
        with connect(stack.settings, "default") as client:
            bench.found_server(str(client.server_version))
            client.command(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
        with connect(stack.settings, DATABASE, receive_seconds=_SILENT_SECONDS) as client:
            report = run_rounds(client, comparison, journal, bench.say)
    bench.after_result.append(journal.remove)
    return report.model_copy(update={"smoke": smoke})


STUDY: Final = Study(
    "tune",
    "Which index over the words of the body",
    TuneReport,
    run,
    smoke=("--smoke",),
)
