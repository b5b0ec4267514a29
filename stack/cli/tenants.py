"""`logsieve tenant create`, `logsieve tenant list` and `logsieve tenant limits`."""

import dataclasses
import json
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table

from kit.settings import Settings
from stack.cli.console import output

if TYPE_CHECKING:
    from backend.tenants.service import TenantService
    from schema.control.limits import Limits

_REMOVED: Final = "Remove the limit of {}. The installation's default does not apply either."


def create_tenant(
    name: Annotated[
        str, typer.Argument(help="Name of the tenant: up to 63 of a-z, 0-9, _ and -, starting with a letter or _.")
    ],
    retention_days: Annotated[int, typer.Option(help="Days that logs of the tenant are kept.")] = 30,
    body_max_bytes: Annotated[
        int | None,
        typer.Option(help="Largest size of a stored log body, in bytes; LOGSIEVE_BODY_MAX_BYTES when left out."),
    ] = None,
    lane: Annotated[
        int | None,
        typer.Option(help="Lane (log table) of the tenant; chosen by a hash of the tenant's name when left out."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Create a tenant."""
    from stack.cli.control import call_tenants

    settings = Settings()
    body = settings.body_max_bytes if body_max_bytes is None else body_max_bytes
    tenant = call_tenants(settings, lambda service: service.create_tenant(name, retention_days, body, lane))
    if as_json:
        output().print_json(json.dumps(dataclasses.asdict(tenant)))
    else:
        output().print(f"tenant {tenant.name} is on lane {tenant.lane}, retention {tenant.retention_days} days")


def list_tenants(as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False) -> None:
    """List all tenants."""
    from stack.cli.control import call_tenants

    tenants = call_tenants(Settings(), lambda service: service.tenants())
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(tenant) for tenant in tenants]))
        return
    table = Table("name", "lane", "cohort", "retention days", "body bytes", "limits", box=None, pad_edge=False)
    for tenant in tenants:
        numbers = (tenant.lane, tenant.cohort, tenant.retention_days, tenant.body_max_bytes)
        table.add_row(tenant.name, *map(str, numbers), _limits_text(tenant.limits))
    output().print(table)


def limits(
    name: Annotated[str, typer.Argument(help="Name of the tenant.")],
    bytes_per_second: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Bytes per second, on average: the decompressed size of requests, or the cost of their rows if "
            "that is larger.",
            show_default=False,
        ),
    ] = None,
    records_per_second: Annotated[
        int | None, typer.Option(min=1, help="Log records per second, on average.", show_default=False)
    ] = None,
    bytes_per_day: Annotated[
        int | None, typer.Option(min=1, help="Bytes of OTLP protobuf per UTC day.", show_default=False)
    ] = None,
    concurrent_searches: Annotated[
        int | None,
        typer.Option(
            min=1, help="Statements of searches that run concurrently in each API process.", show_default=False
        ),
    ] = None,
    partitions: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Topic partitions that the tenant's messages may use: 1 to 16, 4 by default. Receivers use more of "
            "them a minute after the change. Each live tail of the tenant reads all of them.",
            show_default=False,
        ),
    ] = None,
    no_bytes_per_second: Annotated[
        bool, typer.Option("--no-bytes-per-second", help=_REMOVED.format("bytes per second"))
    ] = False,
    no_records_per_second: Annotated[
        bool, typer.Option("--no-records-per-second", help=_REMOVED.format("records per second"))
    ] = False,
    no_bytes_per_day: Annotated[
        bool, typer.Option("--no-bytes-per-day", help=_REMOVED.format("bytes per day"))
    ] = False,
    no_concurrent_searches: Annotated[
        bool, typer.Option("--no-concurrent-searches", help="Use LOGSIEVE_QUERY_MAX_CONCURRENT_PER_TENANT again.")
    ] = False,
    no_partitions: Annotated[bool, typer.Option("--no-partitions", help="Use the default, 4, again.")] = False,
    defaults: Annotated[
        bool,
        typer.Option(
            "--defaults",
            help="Remove the tenant's own limits, except those that this command sets. The installation's defaults "
            "apply again.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Set limits of a tenant, and show all its limits. Limits that are not given stay. Effective within 5 seconds."""
    from stack.cli.control import call_tenants

    changes: dict[str, int | None] = {}
    for limit, number, removed in (
        ("bytes_per_second", bytes_per_second, no_bytes_per_second),
        ("records_per_second", records_per_second, no_records_per_second),
        ("bytes_per_day", bytes_per_day, no_bytes_per_day),
        ("concurrent_searches", concurrent_searches, no_concurrent_searches),
        ("partitions", partitions, no_partitions),
    ):
        if removed and number is not None:
            raise typer.BadParameter(f"{limit} cannot be set and removed in one command; give one of the two")
        if removed or number is not None:
            changes[limit] = number

    def call(service: "TenantService") -> Awaitable["Limits"]:
        if defaults:
            return service.replace_limits(name, changes)
        return service.set_limits(name, changes) if changes else service.limits(name)

    tenant_limits = call_tenants(Settings(), call)
    if as_json:
        output().print_json(json.dumps(dataclasses.asdict(tenant_limits)))
    else:
        output().print(f"tenant {name}: {_limits_text(tenant_limits) or 'no limits'}", highlight=False)


def _limits_text(tenant_limits: "Limits") -> str:
    numbers: dict[str, int | None] = dataclasses.asdict(tenant_limits)
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in numbers.items() if number is not None)
