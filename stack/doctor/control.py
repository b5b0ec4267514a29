"""Checks that receivers and backends can read keys and tenants."""

import asyncio

from kit.clock import Clock
from kit.errors import LogsieveError
from kit.settings import Settings
from schema.control.database import opened
from schema.control.snapshot import Snapshot, read_snapshot
from stack.doctor.finding import Finding, Level


def control_finding(settings: Settings, clock: Clock) -> Finding:
    """Reads tenants and keys, as receivers and backends do every few seconds."""
    about = "control plane"
    try:
        snapshot = asyncio.run(_read(settings, clock))
    except LogsieveError as error:
        advice = (
            "start the control plane's database, or run `logsieve migrate`; running receivers and backends use their "
            "copy of tenants and keys, and restarted ones answer 503"
        )
        return Finding(about, Level.fail, error.detail, advice)
    return Finding(about, Level.ok, f"{len(snapshot.tenants)} tenants, {len(snapshot.grants)} valid keys")


async def _read(settings: Settings, clock: Clock) -> Snapshot:
    async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
        return await read_snapshot(connection, clock.now_ns())
