"""`logsieve tenant retention`, `logsieve tenant body-size` and `logsieve tenant delete`."""

from typing import Annotated

import typer

from kit.settings import Settings
from stack.cli.console import output


def set_retention(
    name: Annotated[str, typer.Argument(help="Name of the tenant.")],
    days: Annotated[int, typer.Argument(help="Days that logs arriving from now on are kept.")],
) -> None:
    """Change the retention of a tenant's new records; stored records keep theirs.

    A tenant in a cohort of its own keeps all records for the longest retention that it ever had. `logsieve tenant move
    --cohort r7` shortens it for new records.
    """
    from stack.cli.control import call_tenants

    call_tenants(Settings(), lambda service: service.set_retention(name, days))
    output().print(f"tenant {name}: {days} days for logs that arrive in 15 s or later", highlight=False)


def set_body_size(
    name: Annotated[str, typer.Argument(help="Name of the tenant.")],
    size: Annotated[int, typer.Argument(help="Largest size of a stored log body, in bytes.")],
) -> None:
    """Change how many bytes of a log body are kept, for new records."""
    from backend.tenants.changes import TenantChanges
    from stack.cli.control import call_tenants

    changes = TenantChanges(body_max_bytes=size)
    call_tenants(Settings(), lambda service: service.change_tenant(name, changes))
    output().print(f"tenant {name}: {size} bytes of a body for logs that arrive from now on", highlight=False)


def delete_tenant(
    name: Annotated[str, typer.Argument(help="Name of the tenant.")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking for confirmation.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Show progress until all logs of the tenant are erased, then the proof.")
    ] = False,
) -> None:
    """Delete a tenant: revoke its keys and erase its logs. This cannot be undone."""
    from stack.cli.control import call_tenants
    from stack.cli.tenant_erasures import show_proof, watch

    settings = Settings()
    if not yes:
        # Raises NotFound for a mistyped name before the question.
        call_tenants(settings, lambda service: service.tenant(name))
        typer.confirm(f"Erase all logs of {name} and revoke its keys?", abort=True)
    call_tenants(settings, lambda service: service.delete_tenant(name))
    if not wait:
        output().print(
            f"tenant {name} is deleted, and loaders erase what is stored of it; "
            f"`logsieve tenant erasures {name}` shows how far they are",
            highlight=False,
        )
        return
    for erasure in watch(settings, name):
        show_proof(erasure, several=settings.topology.replicas > 1)
