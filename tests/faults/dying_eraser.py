"""One turn of erasing deleted tenants in a process that kills itself at a point: `python -m tests.faults.dying_eraser
POINT SECONDS`. The seconds are added to its clock, and the point is its name. Everything else is the real one."""

import asyncio
import os
import signal
import sys
from collections.abc import Collection
from enum import StrEnum

from clickhouse_connect.driver.client import Client
from confluent_kafka.admin import AdminClient

from ingest.erasure import dead_letters, stores, tables
from ingest.erasure.owner import Owner
from kit.clock import ManualClock, SystemClock
from kit.settings import Settings
from schema.control.database import opened


class Point(StrEnum):
    """Point at which the process ends itself by SIGKILL."""

    after_mutation = "after_mutation"  # nothing says yet that it was issued, but ClickHouse
    after_copies = "after_copies"  # other tenants' dead letters are there twice, and the deleted one's still are


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def end_instead(_settings: Settings) -> AdminClient:
    die()
    raise AssertionError("SIGKILL ends the process")


def prepare(point: Point) -> None:
    """Replaces functions of the owner so that the process ends at this point."""

    def delete_rows(client: Client, table: str, tenants: Collection[int]) -> None:
        tables.delete_rows(client, table, tenants)
        if point is Point.after_mutation and table.startswith("logs_"):
            die()

    stores.delete_rows = delete_rows  # type: ignore[attr-defined]  # in this process only
    if point is Point.after_copies:
        dead_letters.admin = end_instead  # type: ignore[assignment, attr-defined]


async def turn(holder: str, seconds: float) -> None:
    settings, clock = Settings(), ManualClock(SystemClock().now_ns())
    clock.advance(seconds)
    async with opened(settings.control_plane_url) as engine:
        assert await Owner(settings, clock, holder).turn(engine), "another process has the lease"


if __name__ == "__main__":
    prepare(Point(sys.argv[1]))
    asyncio.run(turn(sys.argv[1], float(sys.argv[2])))
