"""Runs the erasure of deleted tenants once, and kills its own process at a given point of the run.

`python -m tests.faults.dying_eraser POINT SECONDS` adds the seconds to its clock, and holds the lease under the name of
the point. All other code is that of Logsieve.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Collection
from enum import StrEnum

from clickhouse_connect.driver.client import Client

from ingest.erasure import dead_letters, stores, tables
from ingest.erasure.owner import Owner
from kit.clock import ManualClock, SystemClock
from kit.settings import Settings
from schema.control.database import opened


class Point(StrEnum):
    """Point at which the process ends itself by SIGKILL."""

    after_mutation = "after_mutation"  # only ClickHouse knows that the mutation was issued
    after_copies = "after_copies"  # other tenants' dead letters are stored twice, the deleted tenant's once


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def delete_nothing_or_die(_settings: Settings, ends: dict[int, int]) -> None:
    """Ends the process, except in the first call, which deletes nothing and finds out whether deleting is allowed."""
    if any(ends.values()):
        die()


def prepare(point: Point) -> None:
    """Replaces functions that the owner calls, so that the process ends at the point."""

    def delete_rows(client: Client, table: str, tenants: Collection[int]) -> None:
        tables.delete_rows(client, table, tenants)
        if point is Point.after_mutation and table.startswith("logs_"):
            die()

    stores.delete_rows = delete_rows  # type: ignore[attr-defined]  # only in this process
    if point is Point.after_copies:
        dead_letters._delete = delete_nothing_or_die  # type: ignore[assignment]  # only in this process


async def run_once(holder: str, seconds: float) -> None:
    settings, clock = Settings(), ManualClock(SystemClock().now_ns())
    clock.advance(seconds)
    async with opened(settings.control_plane_url) as engine:
        assert await Owner(settings, clock, holder).run_once(engine), "another process has the lease"


if __name__ == "__main__":
    prepare(Point(sys.argv[1]))
    asyncio.run(run_once(sys.argv[1], float(sys.argv[2])))
