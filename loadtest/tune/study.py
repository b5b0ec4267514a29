"""Declares `logsieve loadtest tune`: its options, results and goals. A killed study can be continued."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

import typer
from pydantic import Field

from loadtest.bench import Bench
from loadtest.chart import Axis, bars, scatter
from loadtest.report.report import Part, Picture, Report, Row, Table
from loadtest.study import Home, Smoke, Study
from loadtest.tune.calculator import HASHES, false_positives

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

    from loadtest.own_stack import OwnStack
    from loadtest.tune.run import Comparison

MAX_INDEX_SHARE: Final = {"tokenbf": 0.04, "text": 0.11}
"""Largest ratio of index bytes to raw bytes of bodies for a default index, by kind (docs/benchmarks/tune.md)."""
_ALIKE: Final = 1.05
"""Factor of the fastest search time within which candidates count as equally fast."""
_CALCULATED: Final = (4, 8, 16, 32, 64, 256)
"""Sizes of bloom filters, in KiB, for which the page shows calculated false positives."""
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
    least_seconds: float = 0.0
    """Least `seconds` of a round."""
    most_seconds: float = 0.0
    """Most `seconds` of a round."""
    by_case: dict[str, float] = Field(default_factory=dict)
    """Median seconds of each search. Stored results may have those of the pictured candidates alone."""
    rows_read: float
    """Rows that a search reads on average."""
    granules: float
    """Granules that a search reads on average."""
    search_memory: float
    """Bytes of the search that needs most memory."""
    index_share: float
    """Bytes of the index on disk, divided by the raw bytes of the bodies."""
    build_seconds: float
    insert_cpu: float
    merge_cpu: float
    write_memory: float
    """Bytes of the insert or merge that needs most memory."""
    written: float
    """Bytes that inserts and merges wrote to disk, divided by the raw bytes of the bodies."""


class TuneReport(Report):
    amounts: ClassVar[tuple[str, ...]] = ("rows", "rounds")
    rows: int
    size: str
    """Description of the records."""
    tenant: str | None = None
    """The tenant whose stored records were copied; None for made-up records."""
    rounds: int
    write_rows: int
    """Number of rows that were inserted and merged to measure the cost of writing."""
    candidates: tuple[CandidateResult, ...]
    words: dict[str, float]
    """Average number of distinct words in a granule, by the limit of the granule: a number of rows, or KiB."""

    @property
    def variant(self) -> str:
        return "" if self.tenant is None else f"from-{self.tenant}"

    def headline(self) -> tuple[Row, ...]:
        kinds = MAX_INDEX_SHARE.items()
        return (
            *(self._row(kind, limit) for kind, limit in kinds),
            *(self._as_shipped(kind) for kind in MAX_INDEX_SHARE),
        )

    def tables(self) -> tuple[Table, ...]:
        best = front(self.candidates)
        candidates = tuple(
            (
                each.name,
                f"{each.seconds * 1000:.1f} ({each.least_seconds * 1000:.1f} to {each.most_seconds * 1000:.1f})",
                f"{each.rows_read:,.0f}",
                f"{each.granules:,.0f}",
                f"{each.search_memory / 2**20:,.0f}",
                f"{each.index_share:.2%}",
                f"{each.insert_cpu:.2f}",
                f"{each.merge_cpu:.2f}",
                f"{each.written:.2f}",
                f"{each.write_memory / 2**20:,.0f}",
                f"{each.build_seconds:.1f}",
                "yes" if each in best else "",
            )
            for each in sorted(self.candidates, key=lambda result: result.seconds)
        )
        head = (
            *("candidate", "search, ms (least to most)", "rows", "granules", "search, MiB", "index/raw"),
            *("insert, s", "merge, s", "written/raw", "write, MiB", "build, s", "front"),
        )
        of = f"{self.rows:,} records, {self.rounds} rounds; insert and merge of {self.write_rows:,} rows"
        return (Table(f"{len(candidates)} candidates over {of}", head, candidates), self._calculator())

    def pictures(self) -> tuple[Picture, ...]:
        name = "-".join(part for part in ("tune", self.variant) if part)
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
            Picture(f"{name}.svg", "Search time against index size", by_size),
            Picture(f"{name}-cases.svg", "Search time by case", by_case),
        )

    def _calculator(self) -> Table:
        """Returns the table of calculated false positives, by the limit of a granule and size of the filter."""
        rows = tuple(
            (limit, f"{words:,.0f}", *(f"{false_positives(kib, HASHES, words):.2%}" for kib in _CALCULATED))
            for limit, words in sorted(self.words.items(), key=lambda each: each[1])
        )
        head = ("rows or KiB a granule", "distinct words", *(f"{size} KiB" for size in _CALCULATED))
        title = f"Granules without a word that a filter of so many KiB and {HASHES} hash functions lets through"
        return Table(title, head, rows)

    @property
    def _without_index(self) -> CandidateResult:
        return next(each for each in self.candidates if each.type is None)

    def _row(self, kind: str, limit: float) -> Row:
        """Returns the recommended index of a kind. Only for made-up records, its size has a goal: how large an index is
        depends on the records."""
        what = f"{kind}, {self.rows:,} records of {self.size}: bytes of the recommended index over raw bytes"
        goal = f"at most {limit:.0%}" if self.tenant is None else ""
        best = recommendation(self.candidates, kind)
        if best is None:
            return Row(what, f"none has at most {limit:.0%}", goal, None if self.tenant else False)
        faster = f"{self._without_index.seconds / best.seconds:.0f} times as fast as no index"
        share = f"{best.index_share:.2%}"
        return Row(f"{what}, {best.name}, `{best.type}`, {faster}", share, goal, None if self.tenant else True)

    def _as_shipped(self, kind: str) -> Row:
        """Returns how much slower searches are with the index of Logsieve's tables than with the recommended one."""
        what = f"{kind} as shipped: time of a search, as a multiple of that with the recommended index of this kind"
        best = recommendation(self.candidates, kind)
        shipped = next((each for each in self.candidates if each.name == f"{kind} as shipped"), None)
        return Row(what, "-" if best is None or shipped is None else f"{shipped.seconds / best.seconds:.2f}")


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


def run(
    bench: Bench,
    rows: Annotated[
        int, typer.Option(min=1_000, help="Number of made-up records of 4 KB, or largest number of records of --from.")
    ] = 500_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds over all candidates.")] = 5,
    tenant: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Compare over the newest stored records of this tenant, of the stack that LOGSIEVE_ variables name."
            " They stay unchanged there. They are copied into a folder that is deleted at the end.",
        ),
    ] = None,
    folder: Home = None,
    smoke: Smoke = False,
) -> TuneReport:
    """Compare indexes over the words of bodies: search time, size, cost of writing.

    If it is interrupted, run it again: it continues where it stopped. With --from, it starts again.
    """
    from loadtest.corpus.load import load
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.journal import Journal
    from loadtest.own_stack import applying
    from loadtest.tune.candidates import ALL, SMOKE
    from loadtest.tune.run import Comparison, run_rounds
    from loadtest.tune.store import TuneStore

    limit = _SMOKE_ROWS if smoke else rows
    described = "4k" if tenant is None else f"tenant {tenant}"
    comparison = Comparison(described, SMOKE if smoke else ALL, 1 if smoke else rounds, bench.seed)
    if tenant is not None:
        if folder is not None:
            raise typer.BadParameter("give --from or --home, not both: records of a tenant are not kept")
        return _over_tenant(bench, tenant, limit, comparison).model_copy(update={"smoke": smoke, "tenant": tenant})
    corpus = Corpus(limit, _TENANTS, bench.seed, FIXED_DAY_NS)
    home = (folder or bench.home / "tune").resolve()
    parameters = repr((corpus, comparison, applying()))
    journal = Journal(home / "journal.jsonl", parameters, bench.commit, CandidateResult)
    with bench.stack_in(home, "clickhouse") as stack, _database(bench, stack) as client:
        store = TuneStore(client, f"{described}_{corpus.rows}_{corpus.seed}", bench.say)
        fill = partial(load, client, corpus=corpus, say=bench.say)
        report = run_rounds(store, comparison, fill, journal, bench.say)
    bench.after_result.append(journal.remove)
    return report.model_copy(update={"smoke": smoke})


@contextmanager
def _database(bench: Bench, stack: "OwnStack") -> "Iterator[Client]":
    """Yields a client of the study's database, which is created if it does not exist."""
    from kit.clickhouse import connect

    with connect(stack.settings, "default") as client:
        bench.found_server(str(client.server_version))
        client.command(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
    with connect(stack.settings, DATABASE, receive_seconds=_SILENT_SECONDS) as client:
        yield client


def _over_tenant(bench: Bench, tenant: str, rows: int, comparison: "Comparison") -> TuneReport:
    """Compares over copies of a tenant's stored records. Deletes the copies in any case.

    Raises NotFound for an unknown tenant and for one without records.
    """
    from loadtest.control import find_tenant
    from loadtest.journal import Journal
    from loadtest.tune.run import run_rounds
    from loadtest.tune.store import TuneStore
    from loadtest.tune.tenant_records import TenantRecords

    settings = bench.running_settings()
    records = TenantRecords(settings, tenant, find_tenant(settings, tenant).id, rows)
    stored = records.find()
    with (
        TemporaryDirectory() as steps,
        bench.stack("clickhouse") as stack,
        _database(bench, stack) as client,
    ):
        store = TuneStore(client, f"from_{records.tenant_id}", bench.say)
        journal = Journal(Path(steps) / "journal.jsonl", tenant, bench.commit, CandidateResult)
        fill = partial(records.copy, stored, client, say=bench.say)
        try:
            return run_rounds(store, comparison, fill, journal, bench.say)
        finally:
            store.drop_tables(comparison.granules)


STUDY: Final = Study(
    "tune",
    "Which index over the words of the body",
    TuneReport,
    run,
    smoke=("--smoke",),
)
