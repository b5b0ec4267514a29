"""`logsieve usage`."""

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table

from kit.clock import SystemClock
from kit.errors import NotFound
from kit.settings import Settings
from stack.cli.console import output
from stack.cli.times import rfc3339
from stack.running_settings import running_settings

if TYPE_CHECKING:
    from backend.usage.minutes import Interval
    from backend.usage.repository import UsageSum


def usage(
    tenant: Annotated[str | None, typer.Option(help="Show only this tenant.")] = None,
    since: Annotated[
        str, typer.Option(help="Start of the range: how long ago (30s, 15m, 24h, 7d), or an RFC 3339 time.")
    ] = "24h",
    until: Annotated[
        str | None, typer.Option(help="End of the range, in the same forms as --since; now when left out.")
    ] = None,
    by: Annotated[
        Literal["minute", "hour", "day"] | None,
        typer.Option(help="Print a row for each minute, hour or day instead of one sum."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Show the accepted and refused records and bytes of tenants, by time of arrival."""
    from backend.times import format_time, parse_time
    from backend.usage.repository import totals
    from stack.cli.control import call_tenants

    settings, now = running_settings(Settings()), datetime.now(UTC)
    names = {each.id: each.name for each in call_tenants(settings, lambda service: service.tenants())}
    ids = {name: tenant_id for tenant_id, name in names.items()}
    if tenant is not None and tenant not in ids:
        raise NotFound(f"there is no tenant {tenant!r}; `logsieve tenant list` shows all")
    start = parse_time(rfc3339(since, now), "since")
    end = None if until is None else parse_time(rfc3339(until, now), "until")
    sums = asyncio.run(_read(settings, None if tenant is None else ids[tenant], start, end, by or "day"))
    rows = sums if by is not None else totals(sums)
    if as_json:
        entries = []
        for each in rows:
            entry = {"tenant": names.get(each.tenant_id, "")} | each._asdict()
            entry["start"] = format_time(each.start * 10**9)
            entries.append(entry)
        output().print_json(json.dumps(entries))
        return
    table = Table("tenant", "outcome", "requests", "records", "bytes", box=None, pad_edge=False)
    if by is not None:
        table = Table("start", "tenant", "outcome", "requests", "records", "bytes", box=None, pad_edge=False)
    for each in rows:
        name = names.get(each.tenant_id, f"deleted ({each.tenant_id})")
        cells = [name, each.outcome, str(each.requests), str(each.records), str(each.bytes)]
        table.add_row(*([format_time(each.start * 10**9)[:16]] if by is not None else []), *cells)
    output().print(table)


async def _read(
    settings: Settings, tenant_id: int | None, start: int, end: int | None, interval: "Interval"
) -> "list[UsageSum]":
    from backend.store.execute import Executor
    from backend.store.replicas.watched import WatchedReplicas, running
    from backend.usage.repository import UsageOfAll
    from kit.clickhouse import Account
    from kit.log import configure_logging, remove_logging

    clock = SystemClock()
    # Lines about servers that do not answer must not be printed between the results.
    logging = configure_logging("warning")
    replicas = WatchedReplicas(settings, clock, Account.owner)
    executor = Executor(settings, account=Account.owner, replicas=replicas)
    try:
        async with running(replicas):
            await replicas.check()
            return await UsageOfAll(executor, settings.shards, clock).sums(tenant_id, start, end, interval)
    finally:
        await executor.close()
        remove_logging(logging)
