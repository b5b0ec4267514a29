"""`logsieve ui`."""

import json
import socket
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer

from kit.clock import SystemClock
from kit.errors import NotFound
from kit.settings import Settings
from stack.cli.console import errors, output
from stack.cli.summary import sign_in_url
from stack.running_settings import running_settings

CONNECT_SECONDS: Final = 2.0
"""Longest wait for the web UI, in seconds. Only a firewall that drops packets makes it wait that long."""


def ui(as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False) -> None:
    """Print a new link that signs one browser in to the demo tenant, once."""
    settings = running_settings(Settings())
    url = sign_in_url(settings, SystemClock())
    if url is None:
        raise NotFound(
            "there is no tenant demo, which only `logsieve up` creates: sign in to another tenant with a query key, "
            "which `logsieve key create TENANT query` makes"
        )
    if not _answers(url):
        errors().print(
            "the web UI cannot be reached: start the stack with `logsieve up` before you open the link",
            style="yellow",
            highlight=False,
        )
    if as_json:
        output().print_json(json.dumps({"sign_in_url": url}))
        return
    typer.echo(url)
    errors().print(f"usable once, for {settings.ui_sign_in_link_seconds // 60} minutes", style="dim", highlight=False)


def _answers(url: str) -> bool:
    """Returns true if something accepts connections at the URL's host and port."""
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), CONNECT_SECONDS).close()
    except OSError:
        return False
    return True
