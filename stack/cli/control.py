"""One call of the tenant service, for commands: opens the control plane's database and closes it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from backend.tenants.service import TenantService
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.database import open_database

Answer = TypeVar("Answer")


def ask_control(settings: Settings, question: Callable[[TenantService], Awaitable[Answer]]) -> Answer:
    """The answer of one coroutine over the tenant service."""

    async def ask() -> Answer:
        engine = open_database(settings.control_plane_url)
        try:
            return await question(TenantService(engine, SystemClock()))
        finally:
            await engine.dispose()

    return asyncio.run(ask())
