"""Declares `logsieve loadtest peers`: its options, results and goals."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from loadtest.bench import Bench
from loadtest.peers.answers import COLLECTOR, LOKI, MANY, OURS, VICTORIA_LOGS, Answers
from loadtest.peers.picture import draw
from loadtest.report.report import Part, Picture, Report, Row, Table, at_least, at_most, none_of
from loadtest.study import Smoke, Study
from schema.clickhouse.index_profiles import Profile

_MIB: Final = 2**20
_SMOKE_RECORDS: Final = 1_000


class SideResult(Part):
    """Cost of storing all records on one side. `load_average` is the machine's load average before it."""

    name: str
    version: str
    cpu_seconds: dict[str, float]
    """CPU seconds of each process, from the first request until all merges had ended."""
    peak_bytes: dict[str, int]
    """Peak of resident bytes of each process until the end of the study."""
    sending_seconds: float
    searchable_seconds: float
    """Seconds from the first request until a search found all records."""
    sent_again: int
    stored: int
    lost: int
    doubled: int
    disk_bytes: int
    queue_bytes: int
    load_average: float


class IndexBuild(Part):
    """Searches until Logsieve had the index on searched words for all records, and the cost of its builds in
    ClickHouse. `disk_bytes` are those of the records and their indexes afterwards."""

    searches: int
    search_cpu_seconds: float
    build_cpu_seconds: float
    build_peak_bytes: int
    disk_bytes: int


class Searched(Answers):
    """The builds, and the answers of all sides to the same questions after them."""

    build: IndexBuild


class PeersReport(Report, Answers):
    """Results of all sides of a run, Logsieve first.

    `absent` names the peers for which the command line gave no program. `searched` has the results after searches let
    Logsieve build an index; None if the run did not wait for that.
    """

    records: int
    record_bytes: int
    rounds: int
    index_profile: str
    absent: tuple[str, ...] = ()
    sides: tuple[SideResult, ...]
    searched: Searched | None = None

    @property
    def variant(self) -> str:
        return f"{self.records}-{self.index_profile}" + ("-searched" if self.searched else "")

    def extent(self) -> dict[str, int]:
        return {"rounds": self.rounds} | {each.name: 1 for each in self.sides}

    def headline(self) -> tuple[Row, ...]:
        ours, *peers = self.sides
        title, rate = f"{self.records:,} records, {self.index_profile}", self._rate(ours)
        goal = 28 if self.records >= MANY else 35
        rows = [
            at_least(f"{title}: MB per CPU second from OTLP to merged, exactly once", rate, goal),
            none_of(f"{title}: records that Logsieve lost or doubled", ours.lost + ours.doubled),
            *self.rows(title, self.records),
        ]
        if peers:
            best = max(self._rate(each) for each in peers)
            rows.append(at_least(f"{title}: MB per CPU second over the best peer's", rate / best, 1, ".2f"))
        rows += self._disk(title, ours.disk_bytes)
        if self.searched:
            after = f"{title}, searched words indexed"
            rows += [*self.searched.rows(after, self.records), *self._disk(after, self.searched.build.disk_bytes)]
        return tuple(rows)

    def _disk(self, title: str, ours: int) -> list[Row]:
        theirs = [each.disk_bytes for each in self.sides if each.name == VICTORIA_LOGS]
        return [at_most(f"{title}: disk over VictoriaLogs's", ours / size, 1.5) for size in theirs]

    def tables(self) -> tuple[Table, ...]:
        names = tuple(each.name for each in self.sides)
        tables = [Table("Storing the records", ("", *names), self._costs()), *self.answer_tables(names, "")]
        found = self.disagreements
        if self.searched:
            build = self.searched.build
            costs = (
                ("counts until the last build started", f"{build.searches:,}"),
                ("CPU seconds of ClickHouse meanwhile, without the builds", f"{build.search_cpu_seconds:.0f}"),
                ("CPU seconds of the builds", f"{build.build_cpu_seconds:.0f}"),
                ("MiB of memory of the build of a part, at most", f"{build.build_peak_bytes / _MIB:,.0f}"),
                ("MiB on disk before the builds", f"{self.sides[0].disk_bytes / _MIB:,.0f}"),
                ("MiB on disk after the builds", f"{build.disk_bytes / _MIB:,.0f}"),
            )
            tables.append(Table("The index on searched words of Logsieve", ("", ""), costs))
            tables += self.searched.answer_tables(names, ", with that index")
            found += self.searched.disagreements
        if found:
            rows = tuple(
                (each.question, "; ".join(f"{side}: {answer}" for side, answer in each.answers.items()))
                for each in found
            )
            tables.append(Table("Questions on which sides disagree", ("", "answers"), rows))
        if self.absent:
            rows = tuple((each, "no program was named") for each in self.absent)
            tables.append(Table("Not in this run", ("", ""), rows))
        return tuple(tables)

    def pictures(self) -> tuple[Picture, ...]:
        questions = list(dict.fromkeys(each.question for each in self.timings))
        medians = {each.name: self.medians(each.name) for each in self.sides}
        if self.searched:
            medians = {f"{OURS}, words indexed": self.searched.medians(OURS), **medians}
        series = {name: [own[question] for question in questions] for name, own in medians.items()}
        title = f"{self.records:,} records of 4 KB: median of an answer, {self.rounds} rounds"
        shows = "Milliseconds of each question on each side, shorter is better"
        return (Picture(f"peers-{self.variant}.svg", shows, lambda file: draw(file, title, questions, series)),)

    def _costs(self) -> tuple[tuple[str, ...], ...]:
        sides, cpu_seconds = self.sides, [each.cpu_seconds for each in self.sides]
        processes = dict.fromkeys(name for used in cpu_seconds for name in used)
        return (
            ("version", *(each.version for each in sides)),
            ("MB per CPU second", *(f"{self._rate(each):.1f}" for each in sides)),
            *(
                (f"CPU seconds: {name}", *(f"{used[name]:.1f}" if name in used else "" for used in cpu_seconds))
                for name in processes
            ),
            ("seconds of sending", *(f"{each.sending_seconds:.0f}" for each in sides)),
            ("seconds until all records are found", *(f"{each.searchable_seconds:.0f}" for each in sides)),
            ("records found", *(f"{each.stored:,}" for each in sides)),
            ("lost", *(f"{each.lost:,}" for each in sides)),
            ("stored again", *(f"{each.doubled:,}" for each in sides)),
            ("requests sent again, as the side demanded", *(f"{each.sent_again:,}" for each in sides)),
            ("MiB on disk", *(f"{each.disk_bytes / _MIB:,.0f}" for each in sides)),
            ("MiB on disk before the store", *(f"{each.queue_bytes / _MIB:,.0f}" for each in sides)),
            ("MiB of memory, sum of peaks", *(f"{sum(each.peak_bytes.values()) / _MIB:,.0f}" for each in sides)),
            ("load average before", *(f"{each.load_average:.1f}" for each in sides)),
        )

    def _rate(self, side: SideResult) -> float:
        """Returns the megabytes (10**6 bytes) of sent records for each CPU second of a side."""
        return self.records * self.record_bytes / 1e6 / sum(side.cpu_seconds.values())


def _program(of: str) -> Any:
    return typer.Option(exists=True, dir_okay=False, resolve_path=True, help=f"Program of {of}.")


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB to store and to search in.")] = 300_000,
    rounds: Annotated[
        int, typer.Option(min=1, help="Rounds; in each, every store is asked each question twice in a row.")
    ] = 7,
    index_profile: Annotated[
        Profile | None, typer.Option(help="Index profile of Logsieve; the default profile when left out.")
    ] = None,
    victoria_logs: Annotated[Path | None, _program("VictoriaLogs")] = None,
    loki: Annotated[Path | None, _program("Loki")] = None,
    collector: Annotated[Path | None, _program("an OpenTelemetry Collector with the ClickHouse exporter")] = None,
    until_indexed: Annotated[
        bool,
        typer.Option(
            "--until-indexed",
            help="After the study, repeat counts of words until Logsieve has indexed these words, then ask all"
            " questions again.",
        ),
    ] = False,
    smoke: Smoke = False,
) -> PeersReport:
    """Send the same OTLP requests and the same questions to Logsieve and to other log stores.

    A store is measured only if an option names its program.
    """
    from kit.errors import InvalidRequest
    from kit.settings import Settings
    from loadtest.own_stack import ONE_NODE, needed
    from loadtest.peers.measure import Sizes, measure

    profile = index_profile or Profile(Settings().index_profile)
    needed({**ONE_NODE, "LOGSIEVE_INDEX_PROFILE": profile.value})
    if until_indexed and (smoke or profile is not Profile.tokenbf):
        raise InvalidRequest(
            "--until-indexed needs index profile tokenbf, and a run without --smoke: leave it out, or change the"
            " other options"
        )
    if smoke:
        records, rounds = _SMOKE_RECORDS, 1
    programs = {VICTORIA_LOGS: victoria_logs, LOKI: loki, COLLECTOR: collector}
    report = measure(bench, profile, programs, Sizes(records, rounds, until_indexed))
    return report.model_copy(update={"smoke": smoke})


STUDY: Final = Study("peers", "Beside other log stores", PeersReport, run, smoke=("--smoke",))
