"""`logsieve loadtest policy`: needs no stack."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from stack.cli.console import errors, output
from stack.cli.loadtest_origin import as_asked
from stack.cli.loadtest_result import AsJson, Write, finish

if TYPE_CHECKING:
    from loadtest.policy.measure import Timing


def policy(
    records: Annotated[int, typer.Option(min=10, help="Records a round.")] = 200,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, of which the fastest counts.")] = 5,
    seed: Annotated[int, typer.Option(help="The same seed gives the same rules and records.")] = 1,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Measure what the attribute policy and the redaction of bodies cost, in microseconds of CPU a record."""
    from loadtest.policy.measure import Effort, measure
    from loadtest.policy.redaction_cost import measure_redactions
    from loadtest.policy.report import Measurement, as_plain, write_page
    from loadtest.policy.request_cost import measure_requests

    effort = Effort(records, rounds, seed)
    console = errors()
    with console.status("") as spinner:
        timings = measure(effort, time.thread_time, spinner.update)
        requests = measure_requests(effort, time.thread_time, spinner.update)
        redactions = measure_redactions(effort, time.thread_time, spinner.update)
        measurement = Measurement(effort, timings, requests, redactions)
    if write is not None:
        write_page(measurement, as_asked(), write)
    if not as_json:
        output().print(_table(timings))
    finish("policy", as_plain(measurement), as_json, write)


def _table(timings: "Sequence[Timing]") -> Table:
    """A section a case, in it a row a structure."""
    from loadtest.policy.catalog import CHOSEN
    from loadtest.policy.report import cell

    table = Table("rules", "miss", "names", "structure", "µs a record (CPU)", "speed", box=None, pad_edge=False)
    last = None
    for timing in timings:
        case = timing.case
        names = "come again" if case.repeat else "all new"
        shown = ("", "", "") if case == last else (str(case.rules), f"{case.miss_share:.0%}", names)
        microseconds, _, ratio = cell(timing).partition(" ")
        style = "bold" if timing.structure == CHOSEN else ""
        table.add_row(*shown, timing.structure, microseconds, ratio.strip("()"), style=style)
        last = case
    return table
