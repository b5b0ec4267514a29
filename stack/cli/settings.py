"""`logsieve settings`."""

import dataclasses
import json
from typing import Annotated

import typer
from rich.table import Table

from kit.settings import Settings
from stack.cli.console import output
from stack.generate.setting_list import render_markdown, setting_lines


def settings(
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the page docs/settings.md.")] = False,
) -> None:
    """Show every setting: variable, default, current value (secrets masked), description."""
    lines = setting_lines(Settings())
    if markdown:
        typer.echo(render_markdown(lines), nl=False)
        return
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(line) for line in lines]))
        return
    table = Table("variable", "default", "value", "description", box=None, pad_edge=False)
    for line in lines:
        table.add_row(line.variable, line.default, line.value, line.description)
    output().print(table)
