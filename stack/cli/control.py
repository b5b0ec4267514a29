"""Runs one call of a control-plane service for a command: opens the database, and closes it after the call."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.service import AuditService
from backend.policies.redactions import RedactionService
from backend.policies.service import PolicyService
from backend.store.scope import longest_delay_ns
from backend.tenants.erasures import ErasureService
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from backend.tenants.storage import StorageService
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.changes import changing, this_user
from schema.control.database import opened
from schema.control.limits import default_limits
from schema.control.restored_places import RestoredPlace, StoredPlace, restore_places
from schema.control.restored_shards import RestoredShards, restore_shards

Answer = TypeVar("Answer")


def call_tenants(settings: Settings, call: Callable[[TenantService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the tenant service. Raises its errors, and those of `opened`."""
    return asyncio.run(
        _run(settings, lambda engine: call(TenantService(engine, SystemClock(), defaults=default_limits(settings))))
    )


def call_keys(settings: Settings, call: Callable[[KeyService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the key service. Raises its errors, and those of `opened`."""
    return asyncio.run(_run(settings, lambda engine: call(KeyService(engine, SystemClock()))))


def call_redactions(settings: Settings, call: Callable[[RedactionService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the redaction service. Raises its errors, and those of `opened`."""
    return asyncio.run(_run(settings, lambda engine: call(RedactionService(engine, SystemClock()))))


def call_policies(settings: Settings, call: Callable[[PolicyService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the service for attribute rules. Raises its errors, and those of `opened`."""
    return asyncio.run(_run(settings, lambda engine: call(PolicyService(engine, SystemClock()))))


def call_audit(settings: Settings, call: Callable[[AuditService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the audit log's service. Raises its errors, and those of `opened`."""
    return asyncio.run(_run(settings, lambda engine: call(AuditService(engine))))


def call_erasures(settings: Settings, call: Callable[[ErasureService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the erasure service. Raises its errors, and those of `opened`."""
    return asyncio.run(_run(settings, lambda engine: call(ErasureService(engine, settings.consumer_groups))))


def call_restored(
    settings: Settings, stored: Collection[StoredPlace], shards: int
) -> tuple[list[RestoredPlace], list[RestoredShards]]:
    """Returns what `restore_places` and, if there are several shards, `restore_shards` add to the control plane. Raises
    what `opened` raises."""

    async def restore(engine: AsyncEngine) -> tuple[list[RestoredPlace], list[RestoredShards]]:
        async with changing(engine, SystemClock(), this_user()) as change:
            places = await restore_places(change, stored, longest_delay_ns(settings.future_tolerance_seconds))
            return places, await restore_shards(change, stored) if shards > 1 else []

    return asyncio.run(_run(settings, restore))


def call_storage(settings: Settings, call: Callable[[StorageService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the service for disk use. Raises its errors, and those of `opened`."""
    return asyncio.run(_run(settings, lambda engine: call(StorageService(engine))))


async def _run(settings: Settings, call: Callable[[AsyncEngine], Awaitable[Answer]]) -> Answer:
    async with opened(settings.control_plane_url) as engine:
        return await call(engine)
