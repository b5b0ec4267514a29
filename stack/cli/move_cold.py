"""`logsieve retention move-cold`: moves old partitions to the cold volume."""

import json
from typing import Annotated

import typer
from rich.table import Table

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.console import errors, output
from stack.cli.tenant_storage import size_text
from stack.running_settings import running_settings


def move_cold(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the partitions that would be moved, and move nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Move old partitions to the cold volume now. While hot disks are above their target, move the oldest others, too.

    Loaders also do this every LOGSIEVE_STORAGE_INTERVAL_SECONDS.
    """
    from ingest.tiering.every_shard import move_everywhere

    settings = running_settings(Settings())
    moved = move_everywhere(
        settings.each_replica,
        SystemClock(),
        dry_run=dry_run,
        report=lambda each: errors().print(f"{each.table} {each.cohort} {each.day}: {size_text(each.bytes)} moved"),
    )
    if as_json:
        rows = [
            {"table": each.table, "cohort": each.cohort, "day": each.day.isoformat(), "bytes": each.bytes}
            for each in moved
        ]
        output().print_json(json.dumps({"moved": rows}))
        return
    table = Table("table", "cohort", "day", "rows", "size", box=None, pad_edge=False)
    for each in moved:
        table.add_row(each.table, each.cohort, each.day.isoformat(), str(each.rows), size_text(each.bytes))
    output().print(table)
    if not moved:
        output().print(
            "nothing moves: every partition that is old enough is on the cold volume already, the cold disk has no"
            " room, a merge has the partitions, or the storage policy of the log tables has one volume only",
            highlight=False,
        )
