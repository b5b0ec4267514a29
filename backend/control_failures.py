"""Translates failures of the control plane's database into errors for clients, and limits the wait for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import structlog
from fastapi import Depends, Request
from sqlalchemy.exc import SQLAlchemyError

from kit.errors import Unavailable
from schema.control.database import is_refusal, reason_of

log = structlog.get_logger()

ANSWER_SECONDS: Final = 30.0
"""Longest time that a request may use the database, in seconds. Without it, a server that accepts connections and never
answers would hold requests, their connections and the tenants' slots without end."""


@asynccontextmanager
async def control_failures() -> AsyncIterator[None]:
    """Raises Unavailable if the database cannot be reached within the block or is busy for too long, or if the block
    takes ANSWER_SECONDS."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            yield
    except (SQLAlchemyError, OSError) as error:
        if is_refusal(error):
            raise  # Answered as an internal error.
        # The reason names hosts and statements, so it goes to the log and not to the client.
        log.warning("the database of the control plane failed", error=reason_of(error, ANSWER_SECONDS))
        raise Unavailable(
            "the database of tenants and keys did not answer: try again. If you sent a change, check first whether it"
            " was made.",
            retry_after=2,
        ) from error


def control_service(name: str) -> Any:
    """Returns the dependency of a route on the service `name` of the process, which uses the control plane.

    Failures of the database become errors for the client. The dependency ends before the answer is sent, so that a
    client that stops reading is not mistaken for a failure of the database.
    """

    async def service(request: Request) -> AsyncIterator[Any]:
        async with control_failures():
            yield getattr(request.state, name)

    return Depends(service, scope="function")
