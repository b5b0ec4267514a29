"""The end of every `logsieve loadtest` command: its line of JSON, its result as a file, its exit code."""

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from kit.clock import SystemClock
from stack.cli.console import errors
from stack.cli.loadtest_origin import as_asked, commit

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one line of JSON.")]
Write = Annotated[
    Path | None,
    typer.Option(exists=True, file_okay=False, help="Write the result, its page and pictures into this folder."),
]


def finish(study: str, report: dict[str, Any], as_json: bool, write: Path | None) -> None:
    """With `write` the result becomes a file there and the report is written again. Exit 1 when a goal was missed."""
    line = json.dumps(report)
    if as_json:
        typer.echo(line)
    else:
        errors().print("passed" if report["passed"] else "failed", style="green" if report["passed"] else "red")
    if write is not None:
        today = datetime.fromtimestamp(SystemClock().now_ns() / 1e9, UTC).date()
        record(study, line, as_asked(), today, commit(), write)
    if not report["passed"]:
        raise typer.Exit(1)


def record(study: str, line: str, command: str, day: date, code: str | None, folder: Path) -> None:
    """Keeps what a command printed as a result, and writes everything that is made of results."""
    from loadtest.machine import this_machine
    from loadtest.report.result import Origin, keep, machine_in, result_of
    from loadtest.report.write import write_report

    machine = machine_in(line) or this_machine().line()
    keep(result_of(study, line, Origin(command=command, day=day, commit=code, machine=machine)), folder)
    write_report(folder)
