"""Declares `logsieve loadtest alerts`: its options, results and goals."""

from collections.abc import Mapping
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.report.report import Part, Report, Row, Table, at_most, none_of
from loadtest.study import Smoke, Study

LAG_GOAL_SECONDS: Final = 5.0
"""Largest lag of an evaluation, in seconds, at the 99th percentile without kills."""
_FULL: Final = (200, 3.0, 400)
"""Rules, minutes without kills, and records per second that are sent to the tenants of the rules."""
_SMALL: Final = (4, 0.5, 20)
"""Rules, minutes and records per second of a small run. Half of its rules are evaluated before the kill."""


class Lags(Part):
    """Seconds from the due times of rules until their evaluations were stored."""

    evaluations: int
    failed: int
    """Number of evaluations that ended with an error."""
    p50: float
    p99: float
    longest: float


class Arrivals(Part):
    """Numbers of firings and notices. A firing is a group of a rule whose condition began to hold."""

    firings: int
    missing: int
    """Firings without a notice."""
    second_ids: int
    """Firings with notices under more than one id."""
    unexpected: int
    """Notices, without repeats, of groups that did not fire or that were resolved."""
    repeats: int
    """Further arrivals of a notice under its id."""


class AlertsReport(Report):
    rules: int
    kills: int
    interrupted: int
    """Kills after which rules were claimed or notices were being sent: the worker was killed in the middle of them."""
    quiet: Lags
    """Lags of the minutes before the first kill."""
    killed: Lags
    """Lags from the first kill until every firing could be reported."""
    arrivals: Arrivals
    resolution_seconds: float
    """Longest time between two polls of the control plane. Measured lags are longer than real ones by at most this."""
    cpu_seconds: Mapping[str, float]
    """CPU seconds of each process in the quiet minutes."""

    @property
    def variant(self) -> str:
        return f"{self.kills}-kills"

    def headline(self) -> tuple[Row, ...]:
        quiet, arrivals = self.quiet, self.arrivals
        lag = f"lag of {quiet.evaluations:,} evaluations of {self.rules} rules every minute, 99th percentile"
        kills = f"{self.kills} kills of the worker"
        return (
            at_most(lag, quiet.p99, LAG_GOAL_SECONDS, unit=" s"),
            none_of("evaluations that failed", quiet.failed + self.killed.failed),
            none_of(f"firings without a notice, of {arrivals.firings:,}, with {kills}", arrivals.missing),
            none_of(f"firings with a second id, with {kills}", arrivals.second_ids),
            none_of("notices of groups that did not fire", arrivals.unexpected),
        )

    def tables(self) -> tuple[Table, ...]:
        lags = tuple(
            (name, f"{each.evaluations:,}", f"{each.p50:.2f} s", f"{each.p99:.2f} s", f"{each.longest:.2f} s")
            for name, each in (("before the first kill", self.quiet), ("from the first kill on", self.killed))
        )
        further = (
            ("kills in the middle of evaluations or notices", f"{self.interrupted} of {self.kills}"),
            ("notices that arrived again under their id", f"{self.arrivals.repeats:,}"),
            ("longest time between two polls", f"{self.resolution_seconds:.2f} s"),
            *((f"CPU of {name} before the first kill", f"{cpu:.1f} s") for name, cpu in self.cpu_seconds.items()),
        )
        head = ("lag", "evaluations", "median", "99th percentile", "longest")
        return Table("Evaluations", head, lags), Table("Kills", ("", ""), further)


def run(
    bench: Bench,
    kills: Annotated[int, typer.Option(min=1, help="Times that the alert worker is killed by SIGKILL.")] = 20,
    smoke: Smoke = False,
) -> AlertsReport:
    """Evaluate alert rules every minute and kill their worker; each firing must be reported under one id."""
    from loadtest.alerts.plan import plan
    from loadtest.alerts.run import SETTINGS, WORKER, AlertsRun
    from loadtest.own_stack import needed

    rules, minutes, records = _SMALL if smoke else _FULL
    kills = 1 if smoke else kills
    with bench.stack("receiver", "loader", "api", WORKER, settings=needed(SETTINGS)) as stack:
        report = AlertsRun(bench, stack, plan(bench.seed, rules, minutes, kills)).run(minutes, records)
        if not report.passed:
            stack.kept = True
    return report.model_copy(update={"smoke": smoke})


STUDY: Final = Study("alerts", "Alert rules while their worker is killed", AlertsReport, run, smoke=("--smoke",))
