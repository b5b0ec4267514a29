"""Creates callers for tests of saved items. Each has a new tenant and a query key of this tenant."""

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.caller import Caller
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.changes import Actor
from schema.control.directory import Directory
from schema.control.models import Purpose


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
