"""`logsieve key …`."""

import dataclasses
import json
from typing import Annotated, Literal

import typer
from rich.table import Table

from kit.settings import Settings
from stack.cli.console import errors, output
from stack.terminal_text import one_line


def create_key(
    tenant: Annotated[str, typer.Argument(help="Whose key it is.")],
    purpose: Annotated[Literal["ingest", "query", "admin"], typer.Argument(help="What it may do.")],
    label: Annotated[str, typer.Option(help="What it is for, shown in lists.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Create a key and print it: it is shown this once."""
    from schema.control.models import Purpose
    from stack.cli.control import ask_control

    key = ask_control(Settings(), lambda service: service.create_key(tenant, Purpose(purpose), label))
    if as_json:
        output().print_json(json.dumps({"id": key.id, "tenant": tenant, "purpose": purpose, "key": key.text}))
    else:
        typer.echo(key.text)
        errors().print(f"key {key.id}; it cannot be shown again", highlight=False)


def list_keys(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """List keys, without their secrets."""
    from stack.cli.control import ask_control

    keys = ask_control(Settings(), lambda service: service.keys(tenant))
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(key) for key in keys]))
        return
    table = Table("id", "tenant", "purpose", "label", "state", box=None, pad_edge=False)
    for key in keys:
        table.add_row(
            key.id, key.tenant, key.purpose, one_line(key.label), "valid" if key.revoked_at_ns is None else "revoked"
        )
    output().print(table)


def revoke_key(key_id: Annotated[str, typer.Argument(help="The key's id, as `key list` shows it.")]) -> None:
    """Revoke a key; it stops working within 5 seconds."""
    from stack.cli.control import ask_control

    ask_control(Settings(), lambda service: service.revoke_key(key_id))
    output().print(f"key {key_id} is revoked", highlight=False)
