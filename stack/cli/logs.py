"""`logsieve logs search` and `logsieve logs tail`."""

import time
from datetime import UTC, datetime
from random import Random
from typing import Annotated, Final, Literal

import typer
from rich.console import Console
from rich.text import Text

from schema.severity import UNSPECIFIED, name_of
from stack.cli.console import errors, output
from stack.cli.query_options import (
    Key,
    QueryText,
    Until,
    Url,
    api_client,
    say_hint,
    say_nothing_found,
    time_range,
)
from stack.cli.times import rfc3339
from stack.terminal_text import json_text, one_line

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]

_COLORS: Final = ((21, "bold red"), (17, "red"), (13, "yellow"), (9, "green"), (5, "cyan"), (0, "dim"))
"""Colors of lines, by the lowest OpenTelemetry severity number that has the color."""


def search(
    query: Annotated[
        str | None,
        typer.Argument(help="Query, as docs/query-language.md describes it; empty matches all records."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            help="Start of the range: how long ago (30s, 15m, 1h, 7d), a day (from midnight, local time), or an "
            "RFC 3339 time; 1h when left out."
        ),
    ] = None,
    until: Until = None,
    limit: Annotated[int, typer.Option(min=1, help="Largest number of logs.")] = 100,
    order: Annotated[
        Literal["asc", "desc"] | None, typer.Option(help="asc: oldest first; desc, when left out: newest first.")
    ] = None,
    view: Annotated[
        str | None, typer.Option(help="Name of a saved view. Its query, range and order apply if not given here.")
    ] = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Search logs and print them: time, severity, service, body."""
    from stack.client.log_search import Hint, Search, search_logs
    from stack.client.saved_views import read_view

    console = output()
    found, hints = 0, list[Hint]()
    if view is None:
        start, end = time_range(since or "1h", until)
        requested = Search(query or "", start, end, order or "desc", limit)
    else:
        with api_client("", url, key) as client:
            stored, now = read_view(client, view), datetime.now(UTC)
        start, end = stored.range(time.time_ns())
        requested = Search(
            stored.query if query is None else query,
            rfc3339(since, now) if since else start,
            rfc3339(until, now) if until else end,
            order or stored.order,
            limit,
        )
    with api_client(requested.query, url, key) as client:
        for log in search_logs(client, requested, hints.append):
            found += 1
            if as_json:
                typer.echo(json_text(log.raw))
            else:
                _print_log(console, log.timestamp, log.severity_number, log.severity_text, log.service, log.body)
    if found == 0:
        say_nothing_found(requested.start)
        for each in hints:
            say_hint(each.detail, each.query)


def tail(query: QueryText = "", url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Print logs as they arrive, until Ctrl-C. Resumes automatically after a lost connection."""
    from stack.client.log_tail import Notice, follow_logs

    console = output()
    with api_client(query, url, key) as client:
        try:
            for log in follow_logs(client, query, Random()):
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
    color = next(color for lowest, color in _COLORS if number >= lowest)
    named = "-" if (name := name_of(number)) == UNSPECIFIED else name.upper()
    line = Text(f"{time} ", style="dim")
    line.append(f"{one_line(str(severity)) or named:<5} ", style=color)
    line.append(f"{one_line(str(service)) or '-'} ", style="blue").append(one_line(str(body)))
    console.print(line, soft_wrap=True)
