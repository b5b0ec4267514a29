"""`logsieve audit …`."""

import dataclasses
import json
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from kit.settings import Settings
from stack.cli.console import output
from stack.cli.times import rfc3339
from stack.terminal_text import one_line

if TYPE_CHECKING:
    from backend.audit.service import AuditRecord


def list_audit(
    tenant: Annotated[str | None, typer.Option(help="List only changes of this tenant.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Start of the range: how long ago (6h, 30d), a day, or an RFC 3339 time.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Largest number of changes.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """List changes of tenants, keys, rules, views, dashboards and alert rules with their authors, newest first."""
    from backend.times import format_time, parse_time
    from stack.cli.control import call_audit

    since_ns = 0 if since is None else parse_time(rfc3339(since, datetime.now().astimezone()), "since")
    entries = call_audit(Settings(), lambda audit: audit.of_all(tenant, since_ns=since_ns, below=None, limit=limit))
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(entry) for entry in entries]))
        return
    table = Table("time", "action", "tenant", "by", "from", "change", box=None, pad_edge=False)
    for entry in entries:
        words = (entry.action, entry.tenant or "(all)", entry.actor, entry.address or "", _change(entry))
        table.add_row(format_time(entry.at_ns)[:19] + "Z", *map(one_line, words))
    output().print(table)


def _change(entry: "AuditRecord") -> str:
    """Returns the differences, as `name: before -> after`."""
    names = [*entry.before, *(name for name in entry.after if name not in entry.before)]
    shown = [(name, *(json.dumps(values.get(name)) for values in (entry.before, entry.after))) for name in names]
    return ", ".join(f"{name}: {before} -> {after}" for name, before, after in shown if before != after)
