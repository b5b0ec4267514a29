"""Translates failures of the control plane's database into errors for clients."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from fastapi import Depends, Request
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from kit.errors import Unavailable

log = structlog.get_logger()


@contextmanager
def control_failures() -> Iterator[None]:
    """Raises Unavailable if the database cannot be reached or is busy for too long within the block."""
    try:
        yield
    except (IntegrityError, DataError):
        raise  # The database works but refuses the statement: a bug in Logsieve, answered as an internal error.
    except (SQLAlchemyError, OSError) as error:
        # The reason names hosts and statements, so it goes to the log and not to the client.
        log.warning("the database of the control plane failed", error=str(error).split("\n")[0])
        raise Unavailable(
            "the database of tenants and keys did not answer, so nothing was read or changed; try again", retry_after=2
        ) from error


def control_service(name: str) -> Any:
    """Returns the dependency of a route on the service `name` of the process, which uses the control plane.

    Failures of the database become errors for the client. The dependency ends before the answer is sent, so that a
    client that stops reading is not mistaken for a failure of the database.
    """

    async def service(request: Request) -> AsyncIterator[Any]:
        with control_failures():
            yield getattr(request.state, name)

    return Depends(service, scope="function")
