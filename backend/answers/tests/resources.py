"""Makes resources as tests use them."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from backend.answers.budget import AnswerBudget
from backend.answers.resources import Resources
from kit.clock import Clock
from kit.settings import Settings


def resources_with(unread_bytes: int, clock: Clock) -> Resources:
    """Returns resources with a budget of this many bytes for answers that clients have not read."""
    return replace(Resources.of(Settings(), clock), answers=AnswerBudget(unread_bytes))


@asynccontextmanager
async def writing(resources: Resources, tenant_id: int) -> AsyncIterator[None]:
    """Writes an answer of the tenant on a thread until the end of the block."""
    may_end = threading.Event()
    answer = asyncio.create_task(resources.writers.run(tenant_id, may_end.wait))
    await asyncio.sleep(0)  # The answer takes the turn of the tenant.
    try:
        yield
    finally:
        may_end.set()
        await answer
