"""`logsieve logs …`."""

import json
import re
from datetime import UTC, datetime
from typing import Annotated, Final, Literal

import typer
from rich.console import Console
from rich.text import Text

from kit.errors import InvalidRequest
from kit.settings import Settings
from stack.cli.console import errors, output
from stack.cli.times import rfc3339
from stack.demo_keys import read_keys
from stack.health import reachable

_COLORS: Final = ((21, "bold red"), (17, "red"), (13, "yellow"), (9, "green"), (5, "cyan"), (0, "dim"))
"""From which OpenTelemetry severity number on a line has which color."""


def search(
    query: Annotated[str, typer.Argument(help="What to find; see docs/query-language.md. Empty: everything.")] = "",
    since: Annotated[str, typer.Option(help="How long ago (30s, 15m, 1h, 7d), or an RFC 3339 time.")] = "1h",
    until: Annotated[str | None, typer.Option(help="The same; now when left out.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many logs at most.")] = 100,
    order: Annotated[Literal["asc", "desc"], typer.Option(help="Oldest or newest first.")] = "desc",
    url: Annotated[str | None, typer.Option(help="The API, http://host:port/api/v1; else this machine's.")] = None,
    key: Annotated[
        str | None, typer.Option(envvar="LOGSIEVE_QUERY_KEY", help="A query key; else the demo tenant's in keys.json.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Search logs and print them: time, severity, service, body."""
    import httpx2

    from stack.log_search import Search, SearchRefused, search_logs

    settings, console = Settings(), output()
    base = url or f"http://{reachable(settings.bind_host)}:{settings.port(settings.api_port)}/api/v1"
    now = datetime.now(UTC)
    wanted = Search(query, rfc3339(since, now), rfc3339(until, now) if until else now.isoformat(), order, limit)
    with httpx2.Client(base_url=base, headers={"Authorization": f"Bearer {_key(settings, key)}"}) as client:
        try:
            for log in search_logs(client, wanted):
                if as_json:
                    typer.echo(json.dumps(log.raw, ensure_ascii=False))
                else:
                    _print_log(console, log.timestamp, log.severity_number, log.severity_text, log.service, log.body)
        except SearchRefused as refusal:
            problem = refusal.problem
            errors().print(f"{problem.code}: {problem.detail}", style="red", markup=False, highlight=False)
            if problem.position is not None:
                errors().print(mark_position(query, problem.position), markup=False, highlight=False, soft_wrap=True)
            if problem.expected:
                errors().print(f"expected {', '.join(problem.expected)}", markup=False, highlight=False)
            raise typer.Exit(1) from refusal


def mark_position(query: str, position: int) -> str:
    """The query with a caret under the character that `position` counts to; tabs and line ends show as spaces."""
    shown = re.sub(r"\s", " ", query)
    return f"{shown}\n{' ' * position}^"


def _print_log(console: Console, *fields: str | int) -> None:
    time, number, severity, service, body = fields
    assert isinstance(number, int)
    color = next(color for least, color in _COLORS if number >= least)
    line = Text(f"{time} ", style="dim")
    line.append(f"{severity or '-':<5} ", style=color).append(f"{service or '-'} ", style="blue").append(str(body), "")
    console.print(line, soft_wrap=True)


def _key(settings: Settings, key: str | None) -> str:
    if key:
        return key
    keys = read_keys(settings)
    if keys is None:
        raise InvalidRequest("a query key is needed: --key, LOGSIEVE_QUERY_KEY, or the keys.json that `up` writes")
    return keys.query_key
