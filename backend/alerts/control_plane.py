"""Limits how long an alert worker waits for the control plane, and how many of its transactions write at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from schema.control.database import failures_as_unavailable

ANSWER_SECONDS: Final = 30.0
"""Longest time of a transaction of an alert worker, in seconds. Without it, a server that accepts connections and never
answers would keep the slots of a worker occupied, also after other connections work again. A transaction that waits
for the answer to a ROLLBACK may take STATEMENT_SECONDS of schema.control.postgresql_waits longer, because SQLAlchemy
does not cancel this wait."""


@asynccontextmanager
async def answering() -> AsyncIterator[None]:
    """Raises Unavailable if the control plane fails within the block, or if the block takes ANSWER_SECONDS."""
    with failures_as_unavailable(ANSWER_SECONDS):
        async with asyncio.timeout(ANSWER_SECONDS):
            yield


def one_writer(engine: AsyncEngine) -> AbstractAsyncContextManager[object]:
    """Returns a lock for the transactions of one worker that write.

    SQLite allows one writer at a time. Concurrent writers would wait for each other until they time out. With
    PostgreSQL, the lock does nothing, so that a connection that hangs delays no other transaction.
    """
    return asyncio.Lock() if engine.dialect.name == "sqlite" else nullcontext()
