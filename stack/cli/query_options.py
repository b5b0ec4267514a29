"""Options that the `logsieve logs …` commands share, and the printing of the API's errors."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final, Literal
from urllib.parse import urlsplit

import typer

from kit.errors import InvalidRequest
from kit.settings import Settings
from schema.demo_keys import read_demo_keys
from stack.addresses import own_url
from stack.cli.console import errors
from stack.cli.times import rfc3339
from stack.running_settings import running_settings
from stack.terminal_text import one_line

if TYPE_CHECKING:
    import httpx2

    from stack.client.query_api import Problem

QueryText = Annotated[
    str, typer.Argument(help="Query, as docs/query-language.md describes it; empty matches all records.")
]
Since = Annotated[
    str,
    typer.Option(
        help="Start of the range: how long ago (30s, 15m, 1h, 7d), a day (from midnight, local time), or "
        "an RFC 3339 time."
    ),
]
Until = Annotated[str | None, typer.Option(help="End of the range, in the same forms as --since; now when left out.")]
Order = Annotated[Literal["asc", "desc"], typer.Option(help="asc: oldest first; desc: newest first.")]
Url = Annotated[
    str | None, typer.Option(help="URL of the API, http://host:port/api/v1; the API on this machine when left out.")
]
Key = Annotated[
    str | None,
    typer.Option(envvar="LOGSIEVE_QUERY_KEY", help="Query key; the demo tenant's in keys.json when left out."),
]


def time_range(since: str, until: str | None) -> tuple[str, str]:
    """Returns both ends in the API's form. Raises typer.BadParameter."""
    now = datetime.now(UTC)
    return rfc3339(since, now), rfc3339(until, now) if until else now.isoformat()


@contextmanager
def api_client(query: str, url: str | None, key: str | None) -> "Iterator[httpx2.Client]":
    """Yields a client of the API with the key.

    Prints a problem that the API answers with, and ends the command. Raises InvalidRequest if there is no key.
    """
    import httpx2

    from kit.tls import own_ports, trusted
    from stack.client.query_api import SearchRefused

    settings = running_settings(Settings())
    base = _base_url(settings, url)
    headers = {"Authorization": f"Bearer {_key(settings, key, url)}"}
    verify = trusted() if url else own_ports(settings)
    # Requests to the stack on this machine must not go through a proxy of the environment, which would see the key.
    with httpx2.Client(base_url=base, headers=headers, verify=verify, trust_env=url is not None) as client:
        try:
            yield client
        except SearchRefused as refusal:
            _print_problem(query, refusal.problem)
            raise typer.Exit(1) from refusal


def _print_problem(query: str, problem: "Problem") -> None:
    """Prints why the query was refused, and at which position, on standard error."""
    errors().print(one_line(f"{problem.code}: {problem.detail}"), style="red", markup=False, highlight=False)
    if problem.position is not None:
        errors().print(mark_position(query, problem.position), markup=False, highlight=False, soft_wrap=True)
    if problem.expected:
        errors().print(f"expected {', '.join(problem.expected)}", markup=False, highlight=False)
    if problem.search_as_text:
        errors().print(
            one_line(f"to search for the text itself: {problem.search_as_text}"), markup=False, highlight=False
        )


def mark_position(query: str, position: int) -> str:
    """Returns the query with a caret under the character at `position`, counted from 0. Tabs and line ends become
    spaces."""
    shown = re.sub(r"\s", " ", query)
    return f"{one_line(shown)}\n{' ' * len(one_line(shown[:position]))}^"


def say_nothing_found(start: str) -> None:
    """Prints on standard error that no log since `start` (an RFC 3339 time) matches, and suggests a next step."""
    since = datetime.fromisoformat(start).astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")
    errors().print(
        f"0 logs since {since}; search a longer range with --since, such as --since 7d", style="dim", highlight=False
    )


def say_hint(detail: str, query: str | None) -> None:
    """Prints a likely reason for an empty result on standard error, with the query that was probably meant."""
    end = "" if detail.endswith("?") else "."
    meant = f"{end} Try {query}" if query else ""
    errors().print(one_line(f"hint: {detail}{meant}"), style="dim", markup=False, highlight=False, soft_wrap=True)


def _base_url(settings: Settings, url: str | None) -> str:
    """Returns the API's base URL. Raises typer.BadParameter for a URL without a server."""
    if url is None:
        return f"{own_url(settings, settings.api_port)}/api/v1"
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise typer.BadParameter(
            f"--url {url!r} is not the URL of an API: give one such as http://127.0.0.1:8080/api/v1"
        )
    return f"{url.rstrip('/')}/api/v1" if parts.path in ("", "/") else url


_THIS_MACHINE: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def _key(settings: Settings, key: str | None, url: str | None) -> str:
    if key:
        if not (key.isascii() and key.isprintable()):
            raise typer.BadParameter(
                "the key has characters that no key has: give the key as `logsieve key create` printed it, without "
                "line ends and other characters, with --key or LOGSIEVE_QUERY_KEY"
            )
        return key
    # The keys of the stack on this machine are not for another host.
    keys = read_demo_keys(settings) if url is None or urlsplit(url).hostname in _THIS_MACHINE else None
    if keys is None:
        raise InvalidRequest(
            "a query key is needed: give --key, set LOGSIEVE_QUERY_KEY, or run `logsieve up`, which writes keys.json"
        )
    return keys.query_key
