"""`logsieve ui`."""

import json
from typing import Annotated

import typer

from kit.clock import SystemClock
from kit.errors import NotFound
from kit.settings import Settings
from stack.cli.console import errors, output
from stack.cli.summary import sign_in_url
from stack.running_settings import running_settings


def ui(as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False) -> None:
    """Print a new link that signs one browser in to the demo tenant, once."""
    settings = running_settings(Settings())
    url = sign_in_url(settings, SystemClock())
    if url is None:
        raise NotFound("this stack has no demo tenant yet: run `logsieve up`, or sign in with a query key")
    if as_json:
        output().print_json(json.dumps({"sign_in_url": url}))
        return
    typer.echo(url)
    errors().print(f"usable once, for {settings.ui_sign_in_link_seconds // 60} minutes", style="dim", highlight=False)
