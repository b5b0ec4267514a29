"""Declares `logsieve loadtest hostile`, a study that continues after it was killed."""

from pathlib import Path
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.hostile.report import HostileReport
from loadtest.study import Study


def run(
    bench: Bench,
    smoke: Annotated[
        bool,
        typer.Option(
            "--smoke", help="Run a small study in a minute, which checks answers, records and memory but no times."
        ),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option("--attack", help="Run only attacks whose name contains this text; may be repeated."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--home", help="Folder of finished steps. A study that was killed resumes from it."),
    ] = None,
) -> HostileReport:
    """Attack a stack in every documented way, and measure what victims on the same and on another partition notice.

    Goes on after being killed.
    """
    from loadtest.hostile.catalog import ATTACKS
    from loadtest.hostile.footprint import MemoryBounds
    from loadtest.hostile.measure import HostileMeasurement
    from loadtest.hostile.profile import FULL, SMOKE
    from loadtest.hostile.steps import hostile_report, open_journal

    chosen = [each for each in ATTACKS if not only or any(text in each.name for text in only)]
    if not chosen:
        raise typer.BadParameter(f"no attack has a name with any of {', '.join(only or [])}")
    profile = SMOKE if smoke else FULL
    home = (folder or bench.home / "hostile").resolve()
    journal = open_journal(home, profile, chosen, bench.seed, bench.commit)
    with bench.stack("receiver", "loader", "api", settings=profile.settings) as stack:
        HostileMeasurement(bench, stack, profile, journal).measure(chosen)
        report = hostile_report(journal.steps, MemoryBounds.of(stack.settings), smoke=smoke)
        if not report.passed:
            stack.keep()
    # The journal is removed even if a goal was missed, because the study is complete.
    bench.after_writing.append(journal.remove)
    return report


STUDY: Final = Study("hostile", "Victims beside attacks", HostileReport, run, smoke=("--smoke",))
