"""`logsieve logs …`."""

from typing import Annotated, Final

import typer
from rich.console import Console
from rich.text import Text

from schema.severity import UNSPECIFIED, name_of
from stack.cli.console import errors, output
from stack.cli.query_options import (
    Key,
    Order,
    QueryText,
    Since,
    Until,
    Url,
    api_client,
    say_hint,
    say_nothing_found,
    time_range,
)
from stack.terminal_text import json_text, one_line

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]

_COLORS: Final = ((21, "bold red"), (17, "red"), (13, "yellow"), (9, "green"), (5, "cyan"), (0, "dim"))
"""Colors of lines, by the lowest OpenTelemetry severity number that has the color."""


def search(
    query: QueryText = "",
    since: Since = "1h",
    until: Until = None,
    limit: Annotated[int, typer.Option(min=1, help="Largest number of logs.")] = 100,
    order: Order = "desc",
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Search logs and print them: time, severity, service, body."""
    from stack.log_search import Hint, Search, search_logs

    console = output()
    start, end = time_range(since, until)
    found, hints = 0, list[Hint]()
    with api_client(query, url, key) as client:
        for log in search_logs(client, Search(query, start, end, order, limit), hints.append):
            found += 1
            if as_json:
                typer.echo(json_text(log.raw))
            else:
                _print_log(console, log.timestamp, log.severity_number, log.severity_text, log.service, log.body)
    if found == 0:
        say_nothing_found(start)
        for each in hints:
            say_hint(each.detail, each.query)


def tail(query: QueryText = "", url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Print logs as they arrive, until Ctrl-C. Resumes automatically after a lost connection."""
    from stack.log_tail import Notice, follow_logs

    console = output()
    with api_client(query, url, key) as client:
        try:
            for log in follow_logs(client, query):
                if isinstance(log, Notice):
                    errors().print(one_line(log.text), style="dim", markup=False, highlight=False)
                elif as_json:
                    typer.echo(json_text(log.raw))
                else:
                    _print_log(console, log.timestamp, log.severity_number, log.severity_text, log.service, log.body)
        except KeyboardInterrupt:
            raise typer.Exit from None


def _print_log(console: Console, *fields: str | int) -> None:
    time, number, severity, service, body = fields
    assert isinstance(number, int)
    color = next(color for least, color in _COLORS if number >= least)
    named = "-" if (name := name_of(number)) == UNSPECIFIED else name.upper()
    line = Text(f"{time} ", style="dim")
    line.append(f"{one_line(str(severity)) or named:<5} ", style=color)
    line.append(f"{one_line(str(service)) or '-'} ", style="blue").append(one_line(str(body)))
    console.print(line, soft_wrap=True)
