"""`logsieve dead …`: messages that could not be loaded."""

import base64
import dataclasses
import json
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.console import errors, output
from stack.running_settings import running_settings
from stack.terminal_text import json_text, one_line


def list_dead(
    limit: Annotated[int, typer.Option(min=1, help="Largest number of entries, newest first.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """List dead letters: messages that could not be loaded. Shows which were replayed."""
    from ingest.dead.listing import list_dead_letters

    entries = list_dead_letters(running_settings(Settings()))
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(entry) for entry in entries[:limit]]))
        return
    table = Table("message", "dead since", "code", "bytes", "replayed", "reason", box=None, pad_edge=False)
    for entry in entries[:limit]:
        replayed = "" if entry.replayed_at_ms is None else _time(entry.replayed_at_ms)
        table.add_row(
            entry.origin.text, _time(entry.at_ms), entry.code, str(entry.size), replayed, one_line(entry.reason)
        )
    output().print(table)
    if len(entries) > limit:
        errors().print(f"{len(entries) - limit} more; see --limit", highlight=False)


def show_dead(
    message: Annotated[
        str,
        typer.Argument(
            metavar="PARTITION:OFFSET", help="Partition and offset of the message, as `logsieve dead list` shows them."
        ),
    ],
    as_hex: Annotated[
        bool, typer.Option("--hex", help="Show the bytes of the message in hex instead of base64.")
    ] = False,
) -> None:
    """Show a dead letter as JSON: the reason, its headers, its readable parts, its bytes."""
    from ingest.dead.describe import describe
    from ingest.dead.read import find

    description = describe(find(running_settings(Settings()), *_coordinates(message)).letter)
    shown = dataclasses.asdict(description)
    value = shown.pop("value")
    shown["value"] = value.hex() if as_hex else base64.b64encode(value).decode()
    typer.echo(json_text(shown, indent=2))


def replay_dead(
    messages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PARTITION:OFFSET]...",
            help="Partition and offset of each message, as `logsieve dead list` shows them.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Replay all dead letters that were not replayed yet.")] = False,
) -> None:
    """Write dead letters to the log topic again, unchanged, each once. Fix the cause of their failure first."""
    from ingest.dead.deleted_tenants import DeletedTenants
    from ingest.dead.replay import WRITE_SECONDS, replay_dead_letters
    from stack.cli.control import call_erasures

    if bool(messages) == every:
        raise typer.BadParameter("name dead letters as PARTITION:OFFSET, or give --all")
    settings = running_settings(Settings())
    wanted = None if every else [_coordinates(each) for each in messages or ()]
    # Dead letters of a deleted tenant would bring back records that are being erased.
    deleted = DeletedTenants(
        lambda: call_erasures(settings, lambda service: service.deleted()),
        SystemClock(),
        WRITE_SECONDS,
        settings.erasure_after_seconds,
    )
    outcome = replay_dead_letters(settings, wanted, deleted)
    console = output()
    for origin in outcome.replayed:
        console.print(f"{origin.text} is replayed", highlight=False)
    if not every:
        for origin, at_ms in outcome.before.items():
            errors().print(f"{origin.text} was replayed before, on {_time(at_ms)}", highlight=False)
    for origin in outcome.deleted:
        errors().print(f"{origin.text} is not replayed, because its tenant is deleted", highlight=False)
    for origin in outcome.without_value:
        errors().print(f"{origin.text} is not replayed, because its message has no value", highlight=False)
    if every and not outcome.replayed:
        console.print("no dead letter is waiting to be replayed", highlight=False)


def _coordinates(text: str) -> tuple[int, int]:
    partition, _, offset = text.partition(":")
    if not (partition.isdecimal() and offset.isdecimal()):
        raise typer.BadParameter(f"{text!r} is not PARTITION:OFFSET, such as 3:1200")
    return int(partition), int(offset)


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
