"""The `logsieve loadtest` commands, made from the declarations of the studies."""

import inspect
import json
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Final, get_type_hints

import typer
from rich.markup import escape

from kit.clock import SystemClock
from kit.errors import LogsieveError
from kit.kafka_settings import MAX_OWN_BROKERS
from kit.settings import Settings
from loadtest.bench import Bench, Say, this_machine
from loadtest.report.report import Report
from loadtest.study import Study
from stack.cli.console import errors
from stack.cli.loadtest_origin import as_typed, commit
from stack.launch import running_state
from stack.ports import claim_offset
from stack.running_settings import running_settings
from stack.services import services

_SHARED: Final[dict[str, tuple[Any, Any]]] = {
    "seed": (
        Annotated[
            int,
            typer.Option(help="Seed of the random data. Equal seeds generate equal texts in equal order."),
        ],
        1,
    ),
    "write": (
        Annotated[
            Path | None,
            typer.Option(
                exists=True, file_okay=False, help="Write the result, its page and pictures into this folder."
            ),
        ],
        None,
    ),
    "as_json": (Annotated[bool, typer.Option("--json", help="Print the result as one line of JSON.")], False),
}
"""Type and default of the options that studies share."""
_NODES: Final = 4
"""Largest number of ClickHouse nodes of the stacks of studies, unless the caller sets a larger one."""


def command(study: Study) -> Callable[..., None]:
    """Returns the function of a study's command: its options are the study's own and the shared ones."""

    def run(**given: Any) -> None:
        shared = {name: given.pop(name, default) for name, (_, default) in _SHARED.items()}
        run_study(study, given, **shared)

    hints = get_type_hints(study.run, include_extras=True)
    _bench, *own = inspect.signature(study.run).parameters.values()
    options = {each.name: (hints[each.name], each.default) for each in own}
    options |= {name: shared for name, shared in _SHARED.items() if name != "seed" or study.takes_seed}
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # Typer reads the options from it
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name, (annotation, default) in options.items()
        ]
    )
    run.__annotations__ = {name: annotation for name, (annotation, _) in options.items()}
    run.__doc__ = study.run.__doc__
    return run


def run_study(study: Study, options: dict[str, Any], seed: int, write: Path | None, as_json: bool) -> None:
    """Runs a study, prints its report, and writes the report into the folder `write`.

    If the report cannot be written there, prints it as a line of JSON in any case. Exits with 1 when a goal was missed.
    """
    code = commit()
    with _telling(as_json) as say:
        home = Settings().home / "loadtest"
        bench = Bench(
            SystemClock(), say, seed, partial(next, port_offsets()), home, code, this_machine(),
            running_settings=lambda: running_settings(Settings()),
        )  # fmt: skip
        report = study.run(bench, **options)
        _report(report, say)
    line = json.dumps({**report.model_dump(mode="json"), "seed": seed, "machine": bench.machine})
    if as_json:
        typer.echo(line)
    else:
        errors().print("passed" if report.passed else "failed", style="green" if report.passed else "red")
    if write is not None:
        today = datetime.fromtimestamp(bench.clock.now_ns() / 1e9, UTC).date()
        try:
            record(study.name, line, as_typed(), today, code, write)
        except LogsieveError:
            # The result of hours is not lost: `logsieve loadtest report --from` can store the line elsewhere.
            if not as_json:
                typer.echo(line)
            raise
    for call in bench.after_result:
        call()
    if not report.passed:
        raise typer.Exit(1)


def record(study: str, line: str, command: str, day: date, code: str | None, folder: Path) -> None:
    """Stores the line that a command printed as a result, and rewrites all pages made of results."""
    from loadtest.report.result import Origin, keep, result_of
    from loadtest.report.write import write_report

    machine = json.loads(line).get("machine") or this_machine()
    keep(result_of(study, line, Origin(command=command, day=day, commit=code, machine=machine)), folder)
    write_report(folder)


def _report(report: Report, say: Say) -> None:
    for row in report.headline():
        say(f"{row.what}: {row.measured}{f', goal {row.goal}' if row.goal else ''}")
    for table in report.tables():
        say(f"{table.title}: {', '.join(table.head).strip(', ')}")
        for cells in table.rows:
            say(f"  {', '.join(cells)}")


@contextmanager
def _telling(as_json: bool) -> Iterator[Say]:
    """Shows lines of progress on standard error, with a spinner on a terminal. With `as_json`, an error within the
    block is printed as a line of JSON. SIGTERM, and SIGHUP when the terminal is closed, end the block like Ctrl-C, so
    that the stack is stopped. With nohup, SIGHUP is ignored.
    """
    # Load tests provoke the conditions that this library warns about.
    logging.getLogger("clickhouse_connect").setLevel(logging.CRITICAL)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) is not signal.SIG_IGN:
            signal.signal(ending, _interrupt)
    console = errors()
    with console.status("") as spinner:

        def say(line: str) -> None:
            console.print(line, highlight=False, markup=False)
            spinner.update(escape(line))

        try:
            yield say
        except LogsieveError as error:
            if as_json:
                typer.echo(json.dumps({"passed": False, "error": {"code": error.code, "detail": error.detail}}))
            raise


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def port_offsets() -> Iterator[int]:
    """Yields a port offset for each stack of a study: first the caller's, unless the caller's stack runs there, then
    random ones at which all ports of a stack are free, also those of a study's brokers and nodes."""
    settings = Settings()
    if "port_offset" in settings.model_fields_set and running_state(settings) is None:
        yield settings.port_offset
    unshifted = Settings(
        port_offset=0,
        clickhouse_url=None,
        kafka_bootstrap=None,
        kafka_nodes=MAX_OWN_BROKERS,
        clickhouse_nodes=max(_NODES, settings.clickhouse_nodes),
        clickhouse_replicas=settings.clickhouse_replicas,
    )
    while True:
        yield claim_offset([need for service in services(unshifted) for need in service.ports])
