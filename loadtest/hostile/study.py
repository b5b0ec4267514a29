"""Declares `logsieve loadtest hostile`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.hostile.report import HostileReport
from loadtest.study import Smoke, Study


def run(
    bench: Bench,
    smoke: Smoke = False,
    only: Annotated[
        list[str] | None,
        typer.Option("--attack", help="Run only attacks whose name contains this text; may be repeated."),
    ] = None,
) -> HostileReport:
    """Attack a stack in every documented way, and measure what victims on the same and on another partition notice."""
    from loadtest.hostile.catalog import ATTACKS
    from loadtest.hostile.measure import HostileMeasurement
    from loadtest.hostile.profile import FULL, SMOKE
    from loadtest.own_stack import ONE_NODE, needed

    chosen = [each for each in ATTACKS if not only or any(text in each.name for text in only)]
    if not chosen:
        raise typer.BadParameter(
            f"no attack's name contains {' or '.join(only or [])}: docs/benchmarks/hostile.md lists the attacks"
        )
    profile = SMOKE if smoke else FULL
    settings = {**profile.settings, **needed(ONE_NODE)}
    with bench.stack("receiver", "loader", "api", settings=settings) as stack:
        measured = HostileMeasurement(bench, stack, profile).measure(chosen)
        report = measured.model_copy(update={"smoke": smoke})
        if not report.passed:
            stack.kept = True
    return report


STUDY: Final = Study("hostile", "Victims beside attacks", HostileReport, run, smoke=("--smoke",))
