"""Creates tenants, so that no test sees another test's records.

The test's process itself calls the service of the `tenant` and `key` commands. To run these commands for each tenant
would take longer than most tests.
"""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass

from backend.caller import OPERATOR
from backend.tenants.changes import NO_LIMITS
from backend.tenants.keys import KeyService
from backend.tenants.service import DEFAULT_RETENTION_DAYS, TenantService
from kit.clock import SystemClock
from kit.errors import Conflict
from schema.control.database import opened
from schema.control.models import Purpose
from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack

KNOWN_WITHIN_SECONDS = 20.0
"""Seconds after which all services must know a new or revoked key: the guaranteed 5, and more for busy machines."""


@dataclass(frozen=True, slots=True)
class TenantKeys:
    """A tenant's name, number and lane, and one key for each purpose."""

    tenant: str
    id: int
    lane: int
    ingest: str
    query: str
    admin: str


def new_tenant(stack: Stack, name: str, lane: int | None = None, suffix: str | None = None) -> TenantKeys:
    """Creates a tenant in this lane, or in any lane, and waits until the receiver and the API know its keys.

    Its name is `name` with `suffix`, or else with a hyphen and random digits.
    """
    end = f"-{secrets.token_hex(3)}" if suffix is None else suffix
    keys = asyncio.run(_created(stack, f"{name}{end}", lane))
    with Api(stack.api_url, keys.query) as api:
        eventually(
            lambda: (
                api.get("/tenant").status_code == 200
                and otlp.send(stack.otlp_http_url, keys.ingest, otlp.request()).status_code == 200
            ),
            f"the keys of {keys.tenant} are known",
            KNOWN_WITHIN_SECONDS,
        )
    return keys


def operator_key(stack: Stack) -> str:
    """Creates an admin key of the operator tenant, waits until the API knows it, and returns it."""
    key = asyncio.run(_operator_key(stack))
    with Api(stack.api_url, key) as api:
        eventually(
            lambda: api.get("/admin/tenants").status_code == 200, "the operator's key is known", KNOWN_WITHIN_SECONDS
        )
    return key


async def _created(stack: Stack, name: str, lane: int | None) -> TenantKeys:
    async with opened(stack.settings.control_plane_url) as control:
        service, keys = TenantService(control, SystemClock()), KeyService(control, SystemClock())
        created = await service.create_tenant(
            name, DEFAULT_RETENTION_DAYS, stack.settings.body_max_bytes, lane, limits=NO_LIMITS
        )
        ingest, query, admin = [
            (await keys.create_key(name, purpose, "test")).text
            for purpose in (Purpose.ingest, Purpose.query, Purpose.admin)
        ]
    return TenantKeys(name, created.id, created.lane, ingest, query, admin)


async def _operator_key(stack: Stack) -> str:
    async with opened(stack.settings.control_plane_url) as control:
        service = TenantService(control, SystemClock())
        with suppress(Conflict):
            await service.create_tenant(OPERATOR, DEFAULT_RETENTION_DAYS, stack.settings.body_max_bytes)
        return (await KeyService(control, SystemClock()).create_key(OPERATOR, Purpose.admin, "test")).text
