"""`logsieve migrate`."""

from typing import Annotated

import typer

from kit.settings import Settings
from stack.cli.console import output
from stack.running_settings import running_settings


def migrate(
    sql: Annotated[
        bool,
        typer.Option(
            "--sql",
            help="Print the SQL for empty databases and a list of what it leaves out, without connecting to anything.",
        ),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing. Exit with 1 if the schema differs from the current one.")
    ] = False,
) -> None:
    """Migrate control plane, log tables and topics to the current schema. Run only one migration at a time."""
    from ingest.refill.added_shard import require_equal_replicas
    from schema.drift import find_drift
    from schema.migrate import migrate as run_migrations
    from schema.migration_sql import migration_sql

    if sql and check:
        raise typer.BadParameter("--sql and --check cannot be used together; give one of them")
    console = output()
    if sql:
        typer.echo(migration_sql(Settings()), nl=False)
        return
    settings = running_settings(Settings())
    if check:
        drifts = find_drift(settings)
        for drift in drifts:
            console.print(f"{drift.where}: {drift.difference}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1 if drifts else 0)
    require_equal_replicas(settings)
    run_migrations(settings, lambda step: console.print(step, markup=False, highlight=False))
