"""Creates the first tenants of a one-machine stack: `python -m stack.first_tenants`.

Tenant `demo` has an ingest key and a query key, which are written to keys.json. Tenant `_self` is for our own logs. A
repeated call keeps the keys that the control plane still knows. A crash between creating a key and writing it to its
file leaves one unused key behind.
"""

import asyncio
import contextlib

from backend.tenants.changes import NO_LIMITS
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from kit.clock import SystemClock
from kit.errors import Conflict
from kit.settings import Settings
from schema.control.database import opened
from schema.control.keys import key_id
from schema.control.models import Purpose
from schema.demo_keys import DemoKeys, demo_keys_file, read_demo_keys
from stack.files import write_atomically
from stack.services import self_key_file

DEMO = "demo"
SELF = "_self"
DEMO_RETENTION_DAYS = 30
SELF_RETENTION_DAYS = 7
LABEL = "made by logsieve up"


async def make_first_tenants(settings: Settings) -> None:
    """Creates the tenants and their keys.

    Raises Unavailable when the control plane is unreachable or has no lanes yet.
    """
    async with opened(settings.control_plane_url) as engine:
        tenants = TenantService(engine, SystemClock())
        for name, days in ((DEMO, DEMO_RETENTION_DAYS), (SELF, SELF_RETENTION_DAYS)):
            with contextlib.suppress(Conflict):
                await tenants.create_tenant(name, days, settings.body_max_bytes, limits=NO_LIMITS)
        keys = KeyService(engine, SystemClock())
        await _make_demo_keys(settings, keys)
        await _make_self_key(settings, keys)


async def _make_demo_keys(settings: Settings, keys: KeyService) -> None:
    demo = read_demo_keys(settings)
    if demo is not None and await _known(keys, demo.tenant, demo.ingest_key, demo.query_key):
        return
    ingest = await keys.create_key(DEMO, Purpose.ingest, LABEL)
    query = await keys.create_key(DEMO, Purpose.query, LABEL)
    made = DemoKeys(tenant=DEMO, ingest_key=ingest.text, query_key=query.text)
    write_atomically(demo_keys_file(settings), made.model_dump_json(indent=2) + "\n", mode=0o600)


async def _make_self_key(settings: Settings, keys: KeyService) -> None:
    file = self_key_file(settings)
    if file.exists() and await _known(keys, SELF, file.read_text().strip()):
        return
    key = await keys.create_key(SELF, Purpose.ingest, LABEL)
    write_atomically(file, key.text + "\n", mode=0o600)


async def _known(keys: KeyService, tenant: str, *texts: str) -> bool:
    """Returns whether the control plane has all these keys and none of them was revoked."""
    valid = {key.id for key in await keys.keys(tenant) if key.revoked_at_ns is None}
    return all(key_id(text) in valid for text in texts)


if __name__ == "__main__":
    asyncio.run(make_first_tenants(Settings()))
