"""Declares `logsieve loadtest parts`, a long study that continues after it was killed."""

from contextlib import ExitStack
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.parts.report import LAYOUTS, Level, PartsReport
from loadtest.study import Home, Smoke, Study

_SMOKE: Final = (1_000, 2_000)


def run(
    bench: Bench,
    numbers: Annotated[
        str, typer.Option("--parts", help="Numbers of (tenant, day) pairs, separated by commas.")
    ] = "1000,30000,160000",
    layout: Annotated[
        list[str] | None, typer.Option(help="Measure only this layout: lanes, one_table or cohorts; may be repeated.")
    ] = None,
    folder: Home = None,
    smoke: Smoke = False,
) -> PartsReport:
    """Measure planning time, lock waits, CPU, start-up and memory over the number of parts, with lanes and without.

    Goes on after being killed.
    """
    import psutil

    from loadtest.journal import Journal
    from loadtest.parts.layout import PARTS_PER_LANE, Layout
    from loadtest.parts.measure import CONCURRENT, FEW_CONCURRENT
    from loadtest.parts.run import MEMORY_SHARE, run_levels
    from loadtest.parts.run import Study as Levels
    from loadtest.services import CLICKHOUSE

    try:
        chosen = _SMOKE if smoke else tuple(int(number) for number in numbers.split(","))
        layouts = tuple(Layout(name) for name in layout or LAYOUTS)
    except ValueError as error:
        raise typer.BadParameter(f"{error}: neither a number of parts nor one of {', '.join(LAYOUTS)}") from None
    if any(number < PARTS_PER_LANE or number % PARTS_PER_LANE for number in chosen):
        raise typer.BadParameter(f"numbers of parts are multiples of {PARTS_PER_LANE}")
    home = (folder or bench.home / "parts").resolve()
    levels = Levels(chosen, layouts, FEW_CONCURRENT if smoke else CONCURRENT)
    journal = Journal(home / "levels.jsonl", repr(levels), Level)
    memory = {"LOGSIEVE_CLICKHOUSE_MEMORY_LIMIT": str(int(psutil.virtual_memory().total * MEMORY_SHARE))}
    with ExitStack() as stacks:
        growing = stacks.enter_context(bench.stack_in(home / "growing", CLICKHOUSE, settings=memory))
        # In a small run, one server is both nodes, because its ratios mean nothing.
        beside = growing if smoke else stacks.enter_context(bench.stack_in(home / "beside", CLICKHOUSE))
        bench.found_server(growing.server_version())
        return PartsReport.of(tuple(run_levels(bench, growing, beside, levels, journal)), smoke=smoke)


STUDY: Final = Study(
    "parts",
    "Planning time and the number of parts",
    PartsReport,
    run,
    smoke=("--smoke", "--layout", "lanes"),
    takes_seed=False,
)
