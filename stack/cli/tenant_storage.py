"""`logsieve tenant storage`."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from kit.settings import Settings
from stack.cli.console import errors, output

if TYPE_CHECKING:
    from backend.admin.storage_schemas import StorageBody


def storage(
    name: Annotated[str | None, typer.Argument(help="Name of the tenant; all tenants when left out.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Show the disk use of tenants, their fair shares, and the days that they lose next because a disk is full."""
    from backend.admin.storage_schemas import storage_body
    from stack.cli.control import call_storage

    shown = call_storage(Settings(), lambda service: service.storage(name))
    body = storage_body(shown)
    if as_json:
        output().print_json(body.model_dump_json())
    elif body.examined_at is None:
        output().print(
            "no loader has examined the disks yet; a loader examines them LOGSIEVE_STORAGE_INTERVAL_SECONDS after it"
            " starts",
            highlight=False,
        )
    else:
        _print(body)


def _print(body: "StorageBody") -> None:
    volumes = Table("server", "used", "target", "logs", "target exceeded on", box=None, pad_edge=False)
    for each in body.volumes:
        used, target = f"{each.used_percent:.1f} %", f"{body.target_percent:g} %"
        if not each.total_bytes:
            used = "no limit"
        volumes.add_row(each.server, used, target, size_text(each.log_bytes), _or_none(each.target_reached_on))
    output().print(volumes)
    output().print()
    heads = ("tenant", "stored", "fair share", "per day", "oldest day", "kept from", "loses next")
    tenants = Table(*heads, box=None, pad_edge=False)
    for tenant in body.tenants:
        sizes = map(size_text, (tenant.stored_bytes, tenant.share_bytes, tenant.daily_bytes))
        days = (_or_none(tenant.oldest_day), _or_none(tenant.kept_from))
        loss = tenant.predicted_loss
        text = "" if loss is None else f"{loss.first_day} to {loss.last_day} ({size_text(loss.bytes)}) on {loss.on}"
        tenants.add_row(tenant.tenant, *sizes, *days, text)
    output().print(tenants)
    output().print(f"\nexamined at {body.examined_at}; sizes are estimates of bytes on disk", highlight=False)
    for each in body.volumes:
        if each.over_bytes:
            errors().print(
                f"{each.server}: {size_text(each.over_bytes)} above the target cannot be freed, because no tenant may "
                "lose more days: add disk space",
                style="yellow",
            )


def size_text(size: int) -> str:
    """Returns a number of bytes in the largest binary unit that it fills."""
    number, units = float(size), ["B", "KiB", "MiB", "GiB", "TiB"]
    while number >= 1024 and len(units) > 1:
        number /= 1024
        units.pop(0)
    return f"{number:.0f} {units[0]}" if units[0] == "B" else f"{number:.1f} {units[0]}"


def _or_none(day: object) -> str:
    return "" if day is None else str(day)
