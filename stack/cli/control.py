"""Runs one call of a control-plane service for a command: opens the database, and closes it after the call."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.service import AuditService
from backend.policies.redactions import RedactionService
from backend.policies.service import PolicyService
from backend.tenants.erasures import ErasureService
from backend.tenants.service import TenantService
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.limits import default_limits

Answer = TypeVar("Answer")


def ask_control(settings: Settings, question: Callable[[TenantService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the tenant service. Raises its errors, and those of `opened`."""
    return asyncio.run(
        _ask(settings, lambda engine: question(TenantService(engine, SystemClock(), defaults=default_limits(settings))))
    )


def ask_redactions(settings: Settings, question: Callable[[RedactionService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the redaction service. Raises its errors, and those of `opened`."""
    return asyncio.run(_ask(settings, lambda engine: question(RedactionService(engine, SystemClock()))))


def ask_policies(settings: Settings, question: Callable[[PolicyService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the service for attribute rules. Raises its errors, and those of `opened`."""
    return asyncio.run(_ask(settings, lambda engine: question(PolicyService(engine, SystemClock()))))


def ask_audit(settings: Settings, question: Callable[[AuditService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the audit log's service. Raises its errors, and those of `opened`."""
    return asyncio.run(_ask(settings, lambda engine: question(AuditService(engine))))


def ask_erasures(settings: Settings, question: Callable[[ErasureService], Awaitable[Answer]]) -> Answer:
    """Returns the result of a call of the erasure service. Raises its errors, and those of `opened`."""
    return asyncio.run(_ask(settings, lambda engine: question(ErasureService(engine, settings.consumer_groups))))


async def _ask(settings: Settings, question: Callable[[AsyncEngine], Awaitable[Answer]]) -> Answer:
    async with opened(settings.control_plane_url) as engine:
        return await question(engine)
