"""Starts ClickHouse without the other services, and makes a log store with two tenants in it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backend.tenants.service import TenantService
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.database import opened
from schema.migrate import migrate_clickhouse, migrate_control
from tests.running_stack import DOWN_SECONDS, logsieve
from tests.stack.small_stack import small_stack

LARGE, SMALL = 1, 2
"""Ids of the first two tenants of a new control plane."""


@contextmanager
def clickhouse_alone(home: Path, **environment: str) -> Iterator[Settings]:
    """Yields the settings of a running ClickHouse, which is stopped after the block. `environment` is that of `up`."""
    stack = small_stack(home)
    try:
        stack.up(**environment)
        yield Settings(home=home, port_offset=stack.offset, lanes=1)
    finally:
        done = logsieve(home, stack.offset, "down", seconds=DOWN_SECONDS)
        assert done.returncode == 0, done.stderr


def new_store(server: Settings, folder: Path, name: str, **changes: object) -> Settings:
    """Returns the settings of a new database with one lane, and of a new control plane with two tenants."""
    control = f"sqlite+aiosqlite:///{folder / 'control.db'}"
    settings = server.model_copy(update={"clickhouse_database": name, "control_url": control} | changes)
    asyncio.run(_add_tenants(settings))
    migrate_clickhouse(settings)
    return settings


async def _add_tenants(settings: Settings) -> None:
    await migrate_control(settings)
    async with opened(settings.control_plane_url) as engine:
        tenants = TenantService(engine, SystemClock())
        for number, name in ((LARGE, "large"), (SMALL, "small")):
            assert (await tenants.create_tenant(name, 30, 4096)).id == number
