"""`logsieve loadtest parts`."""

from pathlib import Path
from typing import Annotated, Final

import typer

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.loadtest_origin import as_asked
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import own_stack_offset, telling

_SMOKE: Final = (1_000, 2_000)


def parts(
    numbers: Annotated[
        str, typer.Option("--parts", help="(tenant, day) pairs, comma-separated.")
    ] = "1000,30000,160000",
    profile: Annotated[str, typer.Option(help="full, or smoke for 1,000 and 2,000.")] = "full",
    layout: Annotated[list[str] | None, typer.Option(help="Only lanes, one_table or cohorts.")] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--home", help="Where the study and its data live; it goes on there after being killed."),
    ] = None,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Measure planning time, lock waits, CPU, start-up and memory over the number of parts, with lanes and without.

    Goes on after being killed.
    """
    from loadtest.journal import Journal
    from loadtest.machine import this_machine
    from loadtest.own_stack import own_stack_in
    from loadtest.parts.layout import PARTS_PER_LANE, Layout
    from loadtest.parts.report import as_plain, write_page
    from loadtest.parts.run import MEMORY_SHARE, Level, Stacks, Study, run
    from loadtest.services import CLICKHOUSE

    try:
        chosen = _SMOKE if profile == "smoke" else tuple(int(number) for number in numbers.split(","))
        layouts = [Layout[name] for name in layout] if layout else list(Layout)
    except (ValueError, KeyError) as error:
        raise typer.BadParameter(f"{error} is not a number of parts or a layout") from None
    if any(number < PARTS_PER_LANE or number % PARTS_PER_LANE for number in chosen):
        raise typer.BadParameter(f"numbers of parts are multiples of {PARTS_PER_LANE}")
    home = (folder or Settings().home / "loadtest" / "parts").resolve()
    study = Study(chosen, tuple(layouts))
    journal = Journal(home / "levels.jsonl", repr(study), Level)
    settings = {"LOGSIEVE_CLICKHOUSE_MEMORY_LIMIT": str(int(this_machine().memory * MEMORY_SHARE))}
    with (
        telling(as_json) as say,
        own_stack_in(home / "growing", own_stack_offset(), (CLICKHOUSE,), settings) as growing,
        own_stack_in(home / "beside", own_stack_offset(), (CLICKHOUSE,), {}) as beside,
    ):
        run(Stacks(growing, beside), study, journal, SystemClock(), say)
        machine = growing.machine()
    levels = journal.steps
    if write is not None:
        write_page(levels, machine, as_asked(), write)
    report = as_plain(levels)
    passed = report["passed"] or profile == "smoke"
    finish("parts", {**report, "passed": passed, "machine": machine.line()}, as_json, write)
