"""What the load test commands that start a stack of their own share: its options, its ports, how they tell."""

import json
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from kit.errors import LogsieveError
from kit.settings import Settings
from stack.cli.console import errors
from stack.ports import claim_offset
from stack.services import services

if TYPE_CHECKING:
    from loadtest.own_stack import Say

Keep = Annotated[bool, typer.Option("--keep", help="Leave the stack running and its folder in place.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same texts and the same plan.")]


@contextmanager
def telling(as_json: bool = False) -> "Iterator[Say]":
    """Lines of progress on standard error; on a terminal a spinner shows that it goes on.

    With `as_json` an error within the block is a line of JSON too. SIGTERM ends the block as Ctrl-C does, so that the
    stack is stopped.
    """
    # Libraries complain of what a load test does on purpose.
    logging.getLogger("clickhouse_connect").setLevel(logging.CRITICAL)
    signal.signal(signal.SIGTERM, _interrupt)
    console = errors()
    with console.status("") as spinner:

        def say(line: str) -> None:
            console.print(line, highlight=False, markup=False)
            spinner.update(line)

        try:
            yield say
        except LogsieveError as error:
            if as_json:
                typer.echo(json.dumps({"passed": False, "error": {"code": error.code, "detail": error.detail}}))
            raise


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def own_stack_offset() -> int:
    """The caller's port offset, otherwise a random one at which a whole stack finds its ports free."""
    settings = Settings()
    if "port_offset" in settings.model_fields_set:
        return settings.port_offset
    unshifted = Settings(port_offset=0, clickhouse_url=None, kafka_bootstrap=None)
    return claim_offset([need for service in services(unshifted) for need in service.ports])
