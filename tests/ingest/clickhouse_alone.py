"""Starts ClickHouse without the other services, and makes a log store with two tenants in it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backend.tenants.service import TenantService
from kit.clickhouse import connect
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.database import opened
from schema.migrate import migrate_clickhouse, migrate_control
from tests.control_database import write_tables
from tests.running_stack import Stack
from tests.stack.small_stack import small_stack

LARGE, SMALL = 1, 2
"""Ids of the first two tenants of a new control plane."""

WITHOUT_INDEXES = "materialize_skip_indexes_on_insert = 0"
"""Setting of inserts of many random bodies, of whose time the indexes on their words would take most."""
WITH_INDEXES = "materialize_skip_indexes_on_insert = 1"
"""The opposite setting, which is ClickHouse's default."""


@contextmanager
def clickhouse_alone(home: Path, **environment: str) -> Iterator[Settings]:
    """Yields the settings of a running ClickHouse, which is stopped after the block. `environment` is that of `up`."""
    stack = small_stack(home)
    try:
        stack.up(**environment)
        yield Settings(home=home, port_offset=stack.offset, lanes=1)
    finally:
        done = stack.logsieve("down")
        assert done.returncode == 0, done.stderr


def first_server(stack: Stack) -> Settings:
    """Returns settings for new stores on the first ClickHouse server of a stack."""
    one = {"clickhouse_nodes": 1, "clickhouse_replicas": 1, "lanes": 1}
    return stack.settings.model_copy(update=one)


def drop_store(settings: Settings) -> None:
    """Drops the database of a store."""
    with connect(settings, database="default") as client:
        client.command(f"DROP DATABASE `{settings.clickhouse_database}` SYNC")


def new_store(server: Settings, folder: Path, name: str, **changes: object) -> Settings:
    """Returns the settings of a new database with one lane, and of a new control plane with two tenants."""
    control = folder / "control.db"
    write_tables(control)
    url = f"sqlite+aiosqlite:///{control}"
    settings = server.model_copy(update={"clickhouse_database": name, "control_url": url} | changes)
    asyncio.run(_add_tenants(settings))
    migrate_clickhouse(settings)
    return settings


async def _add_tenants(settings: Settings) -> None:
    await migrate_control(settings)
    async with opened(settings.control_plane_url) as engine:
        tenants = TenantService(engine, SystemClock())
        for number, name in ((LARGE, "large"), (SMALL, "small")):
            assert (await tenants.create_tenant(name, 30, 4096)).id == number
