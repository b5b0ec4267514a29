"""`logsieve retention …`: drops expired partitions and old audit entries."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from kit.clock import SystemClock
from kit.errors import LogsieveError
from kit.settings import Settings
from stack.cli.console import errors, output
from stack.running_settings import running_settings

if TYPE_CHECKING:
    from ingest.retention.partitions import TablePartition


def run_retention(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the partitions that would be dropped, and drop nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Drop partitions past their retention and old audit entries now. Loaders also do this every few minutes."""
    from ingest.retention.every_shard import drop_everywhere

    replicas, until_failure = running_settings(Settings()).each_replica, list["TablePartition"]()
    try:
        outcome = drop_everywhere(replicas, SystemClock(), dry_run=dry_run, report=until_failure.append)
    except LogsieveError:
        # One server has failed. The others have dropped their partitions, which are shown.
        if until_failure and not as_json:
            output().print(_table_of(until_failure))
        raise
    if as_json:
        dropped = [
            {"table": each.table, "cohort": each.cohort, "day": each.day.isoformat(), "rows": each.rows}
            for each in outcome.dropped
        ]
        output().print_json(
            json.dumps({"dropped": dropped, "audit_entries": outcome.audit_entries, "unknown": outcome.unknown})
        )
        return
    output().print(_table_of(outcome.dropped))
    if outcome.audit_entries:
        output().print(f"{outcome.audit_entries} old entries of the audit log", highlight=False)
    for cohort in outcome.unknown:
        errors().print(f"cohort {cohort} is not in the control plane: its logs are kept for ever", style="yellow")


def _table_of(dropped: "Sequence[TablePartition]") -> Table:
    table = Table("table", "cohort", "day", "rows", box=None, pad_edge=False)
    for each in dropped:
        table.add_row(each.table, each.cohort, each.day.isoformat(), str(each.rows))
    return table
