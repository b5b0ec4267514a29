"""`logsieve status`."""

import json
from typing import Annotated

import typer

from kit.settings import Settings
from stack.cli.console import errors, output
from stack.cli.summary import summarize
from stack.launch import leftovers, running_state
from stack.running_settings import settings_of


def status(as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False) -> None:
    """Show the services of the stack: state, pid, restarts, ports, log files. Exits with 1 unless all are ready."""
    settings = Settings()
    state = running_state(settings)
    if state is None:
        if as_json:
            output().print_json(json.dumps({"home": str(settings.home.resolve()), "services": []}))
        errors().print(f"no stack is running for {settings.home.resolve()}", highlight=False, soft_wrap=True)
        for name, process in leftovers(settings):
            errors().print(
                f"{name} (pid {process.pid}) still runs although its supervisor ended; `logsieve down` stops it",
                highlight=False,
            )
        raise typer.Exit(1)
    summary = summarize(settings_of(state, settings), state)
    if as_json:
        output().print_json(json.dumps(summary.model_dump(mode="json")))
    else:
        summary.show(output())
    if not all(service.phase.settled for service in state.services):
        raise typer.Exit(1)
