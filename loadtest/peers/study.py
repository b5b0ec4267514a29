"""Declares `logsieve loadtest peers`: its options, results and goals."""

from pathlib import Path
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.peers.picture import draw
from loadtest.peers.questions import Kind
from loadtest.peers.ratios import OURS, Disagreement, Timing, medians, slower_than_a_peer, times_ours
from loadtest.peers.searched import Searched
from loadtest.report.report import Part, Picture, Report, Row, Table, at_least, at_most, none_of
from loadtest.study import Smoke, Study
from schema.clickhouse.index_profiles import Profile

VICTORIA_LOGS: Final = "VictoriaLogs"
ABSENT_WORD: Final = "absent word"
ERRORS_BY_SERVICE: Final = "errors by service"
_GROUPED: Final = 1_000_000
"""Records of 4 KB from which counts by service have a goal."""
_MANY: Final = 3_000_000
_MIB: Final = 2**20
_SMOKE_RECORDS: Final = 1_000
_ANSWERS: Final = "Milliseconds of an answer: median (least to most), the fastest bold"
_RATIOS: Final = "Times as long as Logsieve, geometric mean"


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

    def mb_per_cpu_second(self, sent_bytes: int) -> float:
        return sent_bytes / 1e6 / sum(self.cpu_seconds.values())


class PeersReport(Report):
    """Results of all sides of a run. `absent` names the peers for which the command line gave no program."""

    records: int
    record_bytes: int
    rounds: int
    index_profile: str
    absent: tuple[str, ...] = ()
    sides: tuple[SideResult, ...]
    timings: tuple[Timing, ...]
    disagreements: tuple[Disagreement, ...] = ()
    load_average: float
    """Load average of the machine over the minute before the first question."""
    searched: Searched | None = None
    """Results after searches let Logsieve build an index; None if the run did not wait for that."""

    @property
    def variant(self) -> str:
        return f"{self.records}-{self.index_profile}" + ("-searched" if self.searched else "")

    def headline(self) -> tuple[Row, ...]:
        ours, peers = self._side(OURS), [each for each in self.sides if each.name != OURS]
        title = f"{self.records:,} records, {self.index_profile}"
        rate, disagreements = self._rate(ours), len(self.disagreements)
        rows = [
            at_least(
                f"{title}: MB per CPU second from OTLP to merged, exactly once", rate, 28 if self._are_many else 35
            ),
            none_of(f"{title}: records that Logsieve lost or doubled", ours.lost + ours.doubled),
            none_of(f"{title}: questions on which sides disagree", disagreements),
            *self._answers(title, self.timings),
        ]
        if peers:
            best = max(self._rate(each) for each in peers)
            rows.append(at_least(f"{title}: MB per CPU second over the best peer's", rate / best, 1, ".2f"))
        rows += self._disk(title, ours.disk_bytes)
        if self.searched:
            after = f"{title}, searched words indexed"
            rows.append(none_of(f"{after}: questions on which sides disagree", len(self.searched.disagreements)))
            rows += [*self._answers(after, self.searched.timings), *self._disk(after, self.searched.build.disk_bytes)]
        return tuple(rows)

    @property
    def _are_many(self) -> bool:
        return self.records >= _MANY

    def _answers(self, title: str, timings: tuple[Timing, ...]) -> list[Row]:
        """Returns the rows about the times of answers."""
        times, sides = medians(timings, OURS), {each.name for each in self.sides}
        rows = [at_most(f"{title}: an absent word, from the client", times[ABSENT_WORD], 8, ".1f", " ms")]
        if self.records >= _GROUPED and ERRORS_BY_SERVICE in times:
            rows.append(at_most(f"{title}: errors by service", times[ERRORS_BY_SERVICE], 100, ".1f", " ms"))
        if sides != {OURS}:
            rows.append(none_of(f"{title}: questions that a peer answers faster", len(slower_than_a_peer(timings))))
        if VICTORIA_LOGS in sides:
            pages, counts = (times_ours(timings, VICTORIA_LOGS, kind) for kind in (Kind.page, Kind.count))
            rows += [
                at_least(f"{title}: pages, times as fast as VictoriaLogs", pages, 4 if self._are_many else 3),
                at_least(f"{title}: counts, times as fast as VictoriaLogs", counts, 30 if self._are_many else 15),
            ]
        return rows

    def _disk(self, title: str, ours: int) -> list[Row]:
        theirs = [each.disk_bytes for each in self.sides if each.name == VICTORIA_LOGS]
        return [at_most(f"{title}: disk over VictoriaLogs's", ours / size, 1.5) for size in theirs]

    def tables(self) -> tuple[Table, ...]:
        names = tuple(each.name for each in self.sides)
        tables = [
            Table("Storing the records", ("", *names), self._costs()),
            Table(_ANSWERS, ("", *names), self._times(self.timings)),
            Table(_RATIOS, ("", *names), self._ratios(self.timings)),
        ]
        found = self.disagreements
        if self.searched:
            costs = self.searched.costs(self._side(OURS).disk_bytes)
            tables += [
                Table("The index on searched words of Logsieve", ("", ""), costs),
                Table(f"{_ANSWERS}, with that index", ("", *names), self._times(self.searched.timings)),
                Table(f"{_RATIOS}, with that index", ("", *names), self._ratios(self.searched.timings)),
            ]
            found += self.searched.disagreements
        if found:
            rows = tuple((each.question, each.in_words()) for each in found)
            tables.append(Table("Questions on which sides disagree", ("", "answers"), rows))
        if self.absent:
            rows = tuple((each, "no program was named") for each in self.absent)
            tables.append(Table("Not in this run", ("", ""), rows))
        return tuple(tables)

    def pictures(self) -> tuple[Picture, ...]:
        questions = list(dict.fromkeys(each.question for each in self.timings))
        series = {each.name: [medians(self.timings, each.name)[one] for one in questions] for each in self.sides}
        if self.searched:
            indexed = medians(self.searched.timings, OURS)
            series = {f"{OURS}, words indexed": [indexed[one] for one in questions], **series}
        title = f"{self.records:,} records of 4 KB: median of an answer, {self.rounds} rounds"
        shows = "Milliseconds of each question on each side, shorter is better"
        return (Picture(f"peers-{self.variant}.svg", shows, lambda file: draw(file, title, questions, series)),)

    def _costs(self) -> tuple[tuple[str, ...], ...]:
        """Returns the rows of the table about storing the records."""
        sides = self.sides
        processes = dict.fromkeys(name for each in sides for name in each.cpu_seconds)
        return (
            ("version", *(each.version for each in sides)),
            ("MB per CPU second", *(f"{self._rate(each):.1f}" for each in sides)),
            *(
                (f"CPU seconds: {name}", *(_optional(each.cpu_seconds.get(name), ".1f") for each in sides))
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

    def _times(self, timings: tuple[Timing, ...]) -> tuple[tuple[str, ...], ...]:
        """Returns the rows of the table about answers. The shortest median of a row is bold."""
        rows = []
        for question in dict.fromkeys(each.question for each in timings):
            given = {each.side: each for each in timings if each.question == question}
            fastest = min(each.median_ms for each in given.values())
            rows.append((question, *(_spread(given[side.name], fastest) for side in self.sides)))
        return tuple(rows)

    def _ratios(self, timings: tuple[Timing, ...]) -> tuple[tuple[str, ...], ...]:
        return tuple(
            (f"{kind.value}s", *(f"{times_ours(timings, side.name, kind):.2f}" for side in self.sides))
            for kind in Kind
            if any(each.kind is kind for each in timings)
        )

    def _rate(self, side: SideResult) -> float:
        return side.mb_per_cpu_second(self.records * self.record_bytes)

    def _side(self, name: str) -> SideResult:
        return next(each for each in self.sides if each.name == name)


def _optional(value: float | None, form: str) -> str:
    return "" if value is None else f"{value:{form}}"


def _spread(timing: Timing, fastest: float) -> str:
    median = f"{timing.median_ms:,.1f}"
    shown = f"**{median}**" if timing.median_ms == fastest else median
    return f"{shown} ({timing.least_ms:,.1f} to {timing.most_ms:,.1f})"


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB to store and to search in.")] = 300_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of times that each query runs on each side.")] = 7,
    index_profile: Annotated[
        Profile | None, typer.Option(help="Index profile of Logsieve; the default profile when left out.")
    ] = None,
    victoria_logs: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, resolve_path=True, help="Program of VictoriaLogs.")
    ] = None,
    loki: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, resolve_path=True, help="Program of Loki.")
    ] = None,
    collector: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            resolve_path=True,
            help="Program of an OpenTelemetry Collector with the ClickHouse exporter.",
        ),
    ] = None,
    until_indexed: Annotated[
        bool,
        typer.Option(
            "--until-indexed",
            help="Then count words until Logsieve has indexed the searched words, and ask all questions again.",
        ),
    ] = False,
    smoke: Smoke = False,
) -> PeersReport:
    """Send the same OTLP requests and the same questions to Logsieve and to other log stores.

    Stores whose program is not named are left out.
    """
    from kit.errors import InvalidRequest
    from kit.settings import Settings
    from loadtest.peers.measure import Sizes, measure, starts

    profile = index_profile or Profile(Settings().index_profile)
    if until_indexed and (smoke or profile is not Profile.tokenbf):
        raise InvalidRequest(
            "--until-indexed needs index profile tokenbf, and a run without --smoke: leave it out, or change the"
            " other options"
        )
    if smoke:
        records, rounds = _SMOKE_RECORDS, 1
    programs = {"VictoriaLogs": victoria_logs, "Loki": loki, "Collector + exporter": collector}
    sides = starts(bench, profile, programs)
    report = measure(bench, sides, Sizes(records, rounds, until_indexed), profile.value)
    absent = tuple(name for name, program in programs.items() if program is None)
    return report.model_copy(update={"smoke": smoke, "absent": absent})


STUDY: Final = Study("peers", "Beside other log stores", PeersReport, run, smoke=("--smoke",))
