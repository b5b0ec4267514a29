"""Declares `logsieve loadtest alerts`."""

from typing import Annotated, Final

import typer

from loadtest.alerts.report import AlertsReport
from loadtest.bench import Bench
from loadtest.study import Smoke, Study

_SMALL: Final = (4, 0.5, 1, 20)
"""Rules, minutes, kills and records per second of a small run. Half of its rules are evaluated before the kill."""


def run(
    bench: Bench,
    rules: Annotated[int, typer.Option(min=1, max=2_000, help="Alert rules, each evaluated every minute.")] = 200,
    minutes: Annotated[float, typer.Option(min=1, help="Minutes without kills, in which the lag is measured.")] = 3,
    kills: Annotated[int, typer.Option(min=1, help="Times that the alert worker is killed by SIGKILL.")] = 20,
    records: Annotated[
        int, typer.Option(min=1, help="Records per second that are sent to the tenants of the rules meanwhile.")
    ] = 400,
    smoke: Smoke = False,
) -> AlertsReport:
    """Evaluate alert rules every minute and kill their worker; each firing must be reported under one id."""
    from loadtest.alerts.plan import plan
    from loadtest.alerts.run import SETTINGS, WORKER, AlertsRun

    if smoke:
        rules, minutes, kills, records = _SMALL
    with bench.stack("receiver", "loader", "api", WORKER, settings=SETTINGS) as stack:
        report = AlertsRun(bench, stack, plan(bench.seed, rules, minutes, kills)).run(minutes, records)
        if not report.passed:
            stack.keep()
    return report.model_copy(update={"smoke": smoke})


STUDY: Final = Study(
    "alerts",
    "Alert rules while their worker is killed",
    AlertsReport,
    run,
    smoke=("--smoke",),
)
