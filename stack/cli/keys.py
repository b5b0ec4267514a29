"""`logsieve key …`."""

import dataclasses
import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table

from kit.settings import Settings
from stack.cli.console import errors, output
from stack.cli.times import expiry_ns
from stack.terminal_text import one_line

if TYPE_CHECKING:
    from backend.tenants.key_repository import KeyInfo


def create_key(
    tenant: Annotated[str, typer.Argument(help="Name of the tenant.")],
    purpose: Annotated[
        Literal["ingest", "query", "admin"],
        typer.Argument(
            help="Purpose of the key: `ingest` sends logs; `query` reads logs, and changes saved views, dashboards and "
            "alert rules; `admin` changes settings."
        ),
    ],
    label: Annotated[str, typer.Option(help="Note on the key's use, shown in lists.")] = "",
    expires: Annotated[
        str | None, typer.Option(help="When the key expires: 90d or 12h from now, or a date; never when left out.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Create a key and print it. The key cannot be shown again."""
    from schema.control.models import Purpose
    from stack.cli.control import call_keys

    expires_at_ns = None if expires is None else expiry_ns(expires, datetime.now().astimezone())
    key = call_keys(Settings(), lambda service: service.create_key(tenant, Purpose(purpose), label, expires_at_ns))
    if as_json:
        output().print_json(json.dumps({"id": key.id, "tenant": tenant, "purpose": purpose, "key": key.text}))
    else:
        typer.echo(key.text)
        errors().print(f"key {key.id}; it cannot be shown again", highlight=False)


def list_keys(
    tenant: Annotated[str | None, typer.Option(help="List only the keys of this tenant.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """List keys, without their secrets."""
    from stack.cli.control import call_keys

    keys = call_keys(Settings(), lambda service: service.keys(tenant))
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(key) for key in keys]))
        return
    table = Table("id", "tenant", "purpose", "label", "state", "last used", box=None, pad_edge=False)
    now_ns = time.time_ns()
    for key in keys:
        used = "" if key.last_used_at_ns is None else _minute(key.last_used_at_ns)
        table.add_row(key.id, key.tenant, key.purpose, one_line(key.label), _state(key, now_ns), used)
    output().print(table)


def _state(key: "KeyInfo", now_ns: int) -> str:
    if key.revoked_at_ns is not None:
        return "revoked"
    if key.expires_at_ns is None:
        return "valid"
    return f"{'valid until' if key.expires_at_ns > now_ns else 'expired'} {_minute(key.expires_at_ns)}"


def _minute(ns: int) -> str:
    return f"{datetime.fromtimestamp(ns // 10**9, UTC):%Y-%m-%dT%H:%MZ}"


def label_key(
    key_id: Annotated[str, typer.Argument(help="Id of the key, as `logsieve key list` shows it.")],
    label: Annotated[str, typer.Argument(help="New note on the key's use; an empty one removes the note.")],
) -> None:
    """Change the label of a key. The key works as before."""
    from stack.cli.control import call_keys

    call_keys(Settings(), lambda service: service.label_key(key_id, label))
    output().print(f"key {key_id} has the label {one_line(label)!r}", highlight=False, markup=False)


def revoke_key(key_id: Annotated[str, typer.Argument(help="Id of the key, as `logsieve key list` shows it.")]) -> None:
    """Revoke a key; it stops working within 5 seconds."""
    from stack.cli.control import call_keys

    call_keys(Settings(), lambda service: service.revoke_key(key_id))
    output().print(f"key {key_id} is revoked", highlight=False)
