"""Creates tenants and keys for a load test.

Calls the services behind the `logsieve` commands within this process, because one process for each command would take
longer than everything else in a small run.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.tenants.changes import NO_LIMITS
from backend.tenants.keys import KeyService
from backend.tenants.repository import TenantInfo
from backend.tenants.service import DEFAULT_RETENTION_DAYS, TenantService
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.models import Purpose

Answer = TypeVar("Answer")


def create_tenant(
    settings: Settings, name: str, lane: int | None = None, limits: Mapping[str, int | None] = NO_LIMITS
) -> TenantInfo:
    """Creates a tenant, by default without limits and in the lane that its name picks.

    Raises the errors of TenantService.create_tenant.
    """
    body, days = settings.body_max_bytes, DEFAULT_RETENTION_DAYS
    return _call(
        settings,
        lambda engine: TenantService(engine, SystemClock()).create_tenant(name, days, body, lane, limits=limits),
    )


def find_tenant(settings: Settings, name: str) -> TenantInfo:
    """Returns a tenant. Raises NotFound for an unknown name."""
    return _call(settings, lambda engine: TenantService(engine, SystemClock()).tenant(name))


def create_key(settings: Settings, tenant: str, purpose: Purpose) -> str:
    """Creates a key and returns its text. Raises NotFound for an unknown tenant."""
    return _call(
        settings, lambda engine: KeyService(engine, SystemClock()).create_key(tenant, purpose, "loadtest")
    ).text


def _call(settings: Settings, question: Callable[[AsyncEngine], Awaitable[Answer]]) -> Answer:
    async def call() -> Answer:
        async with opened(settings.control_plane_url) as engine:
            return await question(engine)

    return asyncio.run(call())
