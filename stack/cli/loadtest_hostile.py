"""`logsieve loadtest hostile`: a study that may be killed and goes on where it was."""

from pathlib import Path
from typing import Annotated

import typer

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.loadtest_origin import commit
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import Keep, Seed, own_stack_offset, telling


def hostile(
    smoke: Annotated[
        bool, typer.Option("--smoke", help="Small and in a minute: looks at answers, records and memory, not at times.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--attack", help="Only attacks whose name has this text; may be repeated.")
    ] = None,
    seed: Seed = 1,
    folder: Annotated[
        Path | None,
        typer.Option("--home", help="Where finished steps are kept; the study goes on there after being killed."),
    ] = None,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Attack a stack in every documented way, and measure what victims on the same and on another partition notice.

    Goes on after being killed.
    """
    from loadtest.hostile.catalog import ATTACKS
    from loadtest.hostile.footprint import MemoryBounds
    from loadtest.hostile.measure import HostileMeasurement
    from loadtest.hostile.profile import FULL, SMOKE
    from loadtest.hostile.report import found
    from loadtest.hostile.steps import open_journal
    from loadtest.own_stack import own_stack

    chosen = [each for each in ATTACKS if not only or any(text in each.name for text in only)]
    if not chosen:
        raise typer.BadParameter(f"no attack has a name with any of {', '.join(only or [])}")
    services, profile = ("receiver", "loader", "api"), SMOKE if smoke else FULL
    home = (folder or Settings().home / "loadtest" / "hostile").resolve()
    journal = open_journal(home, profile, chosen, seed, commit())
    with telling(as_json) as say, own_stack(own_stack_offset(), services, keep, say, profile.settings) as stack:
        HostileMeasurement(stack, profile, journal, SystemClock(), say).measure(chosen, seed)
        findings = found(journal.steps, MemoryBounds.of(stack.settings), timed=not smoke)
        for row in findings.headline():
            say(f"{row.what}: {row.measured}{f', goal {row.goal}' if row.goal else ''}")
        if not findings.passed:
            stack.keep()
        machine = stack.machine().line()
    try:
        finish("hostile", {**findings.model_dump(), "machine": machine}, as_json, write)
    except typer.Exit:
        journal.remove()  # the study is over also where it missed a goal
        raise
    journal.remove()
