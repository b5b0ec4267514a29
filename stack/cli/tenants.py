"""`logsieve tenant …`."""

import dataclasses
import json
from typing import Annotated

import typer
from rich.table import Table

from kit.settings import Settings
from stack.cli.console import output


def create_tenant(
    name: Annotated[str, typer.Argument(help="Up to 63 of a-z, 0-9, _ and -.")],
    retention_days: Annotated[int, typer.Option(help="Days after which its logs are dropped.")] = 30,
    body_max_bytes: Annotated[int | None, typer.Option(help="Bytes of a log body kept; else the setting's.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Create a tenant."""
    from stack.cli.control import ask_control

    settings = Settings()
    body = settings.body_max_bytes if body_max_bytes is None else body_max_bytes
    tenant = ask_control(settings, lambda service: service.create_tenant(name, retention_days, body))
    if as_json:
        output().print_json(json.dumps(dataclasses.asdict(tenant)))
    else:
        output().print(f"tenant {tenant.name} is on lane {tenant.lane}, retention {tenant.retention_days} days")


def list_tenants(as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False) -> None:
    """List all tenants."""
    from stack.cli.control import ask_control

    tenants = ask_control(Settings(), lambda service: service.tenants())
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(tenant) for tenant in tenants]))
        return
    table = Table("name", "lane", "cohort", "retention days", "body bytes", box=None, pad_edge=False)
    for tenant in tenants:
        numbers = (tenant.lane, tenant.cohort, tenant.retention_days, tenant.body_max_bytes)
        table.add_row(tenant.name, *map(str, numbers))
    output().print(table)
