"""Creates callers for tests of saved items. Each has a new tenant and a query key of this tenant."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.caller import Caller
from backend.store.query_threads import QueryThreads
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.changes import Actor
from schema.control.database import opened
from schema.control.directory import Directory
from schema.control.models import Purpose


@dataclass(frozen=True, slots=True)
class Callers:
    """Callers of tenants acme and other, and what services need: an engine of the control plane, and threads."""

    engine: AsyncEngine
    queries: QueryThreads
    acme: Caller
    other: Caller


@asynccontextmanager
async def two_callers(settings: Settings, clock: ManualClock) -> AsyncIterator[Callers]:
    """Creates tenants acme and other in a migrated control plane, and a caller of each."""
    queries = QueryThreads(clock)
    try:
        async with opened(settings.control_plane_url) as engine:
            acme, other = [await caller_of_new_tenant(engine, settings, clock, name) for name in ("acme", "other")]
            yield Callers(engine, queries, acme, other)
    finally:
        queries.close()


async def caller_of_new_tenant(engine: AsyncEngine, settings: Settings, clock: ManualClock, name: str) -> Caller:
    """Creates a tenant with a query key. Returns a caller with this key."""
    await TenantService(engine, clock).create_tenant(name, 7, 4096)
    key = (await KeyService(engine, clock).create_key(name, Purpose.query, "")).text
    directory = Directory(settings.control_plane_url, 60, clock)
    await directory.start()
    try:
        grant = directory.grant(key)
    finally:
        await directory.stop()
    return Caller(grant.tenant, Actor.of_key(grant.key_id, grant.tenant.id, "10.0.0.1"))
