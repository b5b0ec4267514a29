"""`logsieve tenant move`."""

from typing import Annotated

import typer

from kit.settings import Settings
from stack.cli.console import output


def move_tenant(
    name: Annotated[str, typer.Argument(help="Name of the tenant.")],
    cohort: Annotated[
        str | None,
        typer.Option(
            help="Cohort, whose tenants share table partitions. `own`: for this tenant alone; `r<days>`, such as r30: "
            "of all tenants with this retention.",
            show_default=False,
        ),
    ] = None,
    lane: Annotated[int | None, typer.Option(min=0, help="Number of the lane (log table).", show_default=False)] = None,
) -> None:
    """Store a tenant's new records in another cohort, lane or both. Stored records stay, and searches find them."""
    from stack.cli.control import call_tenants

    if cohort is None and lane is None:
        raise typer.BadParameter("nothing to move: give --cohort, --lane or both")
    moved = call_tenants(Settings(), lambda service: service.move(name, cohort, lane))
    output().print(
        f"tenant {name}: cohort {moved.cohort} on lane {moved.lane} for logs that arrive in 15 s or later",
        highlight=False,
    )
