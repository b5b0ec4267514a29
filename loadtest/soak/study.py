"""Declares `logsieve loadtest soak`: its options, results and goals."""

from pathlib import Path
from typing import Annotated, ClassVar, Final

import typer

from loadtest.bench import Bench
from loadtest.chart import Axis, lines
from loadtest.freshness.study import GOAL_SECONDS, LATE_SECONDS
from loadtest.report.correctness import Correctness
from loadtest.report.report import Part, Picture, Report, Row, Table, at_most, none_of
from loadtest.soak.memory import SETTLING_SHARE, Trend
from loadtest.study import Smoke, Study

NOISE_SHARE: Final = 0.02
"""Growth of memory, as a share of its median, that counts as noise however even a process's memory is."""
_SMOKE: Final = (200.0, 0.1)
"""Records per second and minutes of a small run."""


class Window(Part):
    """Percentiles, in seconds, of a part of the run. None if there was nothing to measure, or if too many failed."""

    fresh_p50: float | None
    fresh_p99: float | None
    search_p50: float | None
    search_p99: float | None


class Memory(Part):
    """Resident MiB of a service with its child processes, at times with equal distances. 0 after its process ended."""

    service: str
    mib: tuple[float, ...]

    @property
    def trend(self) -> Trend:
        return Trend.of(self.mib)

    def row(self, minutes: float) -> Row:
        trend = self.trend
        if not all(self.mib):
            return Row(f"growth of {self.service}'s memory", "its process ended", "at most noise", False, firm=True)
        bound = max(trend.noise, NOISE_SHARE * trend.median)
        what = f"growth of {self.service}'s memory over {minutes:.0f} minutes, of {trend.median:,.0f} MiB"
        return at_most(what, trend.growth, round(bound, 1), form=",.1f", unit=" MiB")


class SoakReport(Report, Correctness):
    """Results of a run. Rates are records per second."""

    amounts: ClassVar[tuple[str, ...]] = ("minutes",)
    minutes: float
    rate: float
    busy_share: float
    """Share (0 to 1) of the time in which the machine's processors worked, with the sender and the searches."""
    acknowledged: int
    uncertain: int
    fresh_p99: float
    behind_seconds: float
    """Largest delay of a request behind its schedule, in seconds."""
    searches: int
    failed_searches: int
    skipped_searches: int = 0
    """Searches that were not sent because earlier ones took too long."""
    tails: int
    tailed: int
    """Pairs of a tail and a record that the tail should get."""
    tailed_wrong: int
    """Pairs that a tail missed, got twice, or got although the record does not match."""
    tail_events: dict[str, int]
    """Numbers of events other than records, by name. A tail tells by them that it left out records."""
    windows: tuple[Window, ...]
    memory: tuple[Memory, ...]

    def headline(self) -> tuple[Row, ...]:
        at = f"99th percentile of freshness at {self.rate:,.0f} records of 4,096 bytes a second"
        return (
            at_most(at, self.fresh_p99, GOAL_SECONDS, unit=" s"),
            at_most("largest delay of a request behind its schedule", self.behind_seconds, LATE_SECONDS, unit=" s"),
            self.row(f"wrong of {self.acknowledged:,} records", also=self.uncertain == 0),
            none_of(
                f"wrong of {self.tailed:,} records that {self.tails} tails should get",
                self.tailed_wrong,
                also=self.tailed > 0 and not self.tail_events,
            ),
            none_of(
                f"failed or skipped of {self.searches + self.skipped_searches:,} searches",
                self.failed_searches + self.skipped_searches,
                also=self.searches > 0,
                firm=False,
            ),
            *(each.row((1 - SETTLING_SHARE) * self.minutes) for each in self.memory),
        )

    def tables(self) -> tuple[Table, ...]:
        head = ("minutes", "freshness, median", "99th percentile", "searches, median", "99th percentile")
        length = self.minutes / len(self.windows)
        rows = tuple(
            (f"{number * length:.0f} to {(number + 1) * length:.0f}", *map(_shown, window.model_dump().values()))
            for number, window in enumerate(self.windows)
        )
        memory = tuple(
            (each.service, *(f"{mib:,.0f}" for mib in (each.mib[0], each.trend.median, each.mib[-1], max(each.mib))))
            for each in self.memory
        )
        further = (
            ("records that were not acknowledged", f"{self.uncertain:,}"),
            ("searches that were skipped because earlier ones took too long", f"{self.skipped_searches:,}"),
            ("share of the time in which the processors worked", f"{self.busy_share:.0%}"),
            *((f"events `{name}` of tails", f"{times:,}") for name, times in self.tail_events.items()),
        )
        return (
            Table("Times", head, rows),
            Table("Resident memory, MiB", ("service", "first", "median", "last", "largest"), memory),
            Table("More of the same run", ("", ""), further),
        )

    def pictures(self) -> tuple[Picture, ...]:
        return (
            Picture("soak.svg", "Resident memory of each service over the minutes of the run.", self._draw),
            Picture("soak-times.svg", "99th percentiles of freshness and of searches over the run.", self._draw_times),
        )

    def _draw(self, file: Path) -> None:
        series = {
            each.service: [((place + 1) * self.minutes / len(each.mib), mib) for place, mib in enumerate(each.mib)]
            for each in self.memory
        }
        lines(file, "Resident memory during the soak", Axis("minutes"), Axis("MiB", logarithmic=True), series)

    def _draw_times(self, file: Path) -> None:
        length = self.minutes / len(self.windows)
        series = {
            "acknowledged to searchable": [each.fresh_p99 for each in self.windows],
            "search": [each.search_p99 for each in self.windows],
        }
        points = {
            name: [((place + 0.5) * length, value) for place, value in enumerate(values) if value is not None]
            for name, values in series.items()
        }
        lines(file, "99th percentiles during the soak", Axis("minutes"), Axis("seconds"), points)


def _shown(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.2f} s"


def run(
    bench: Bench,
    rate: Annotated[float, typer.Option(min=1, help="Records of 4 KB per second.")] = 1_000,
    minutes: Annotated[float, typer.Option(min=1, help="Minutes for which records are sent.")] = 120,
    smoke: Smoke = False,
) -> SoakReport:
    """Send for hours beside searches and tails; no process's memory may grow, no record be late, lost or doubled."""
    from loadtest.soak.run import SoakRun

    if smoke:
        rate, minutes = _SMOKE
    with bench.stack("receiver", "loader", "api") as stack:
        report = SoakRun(bench, stack).run(rate, minutes, bound_topic=not smoke)
        if report.wrong:
            stack.kept = True
    return report.model_copy(update={"smoke": smoke})


STUDY: Final = Study("soak", "Hours at half load", SoakReport, run, smoke=("--smoke",))
