"""`logsieve tenant move`."""

from typing import Annotated

import typer

from kit.settings import Settings
from stack.cli.console import output


def move_tenant(
    name: Annotated[str, typer.Argument(help="Name of the tenant.")],
    cohort: Annotated[
        str,
        typer.Option(
            help="`own`: for this tenant alone; `r<days>`, such as r30: shared by the tenants of this retention."
        ),
    ],
) -> None:
    """Store a tenant's new records in another cohort. Stored records stay where they are, and searches find them."""
    from stack.cli.control import call_tenants

    moved = call_tenants(Settings(), lambda service: service.move(name, cohort))
    output().print(f"tenant {name}: cohort {moved} for logs that arrive in 10 s or later", highlight=False)
