"""Gives routes the admin service. Answers Unavailable when the control plane's database does not respond."""

from collections.abc import AsyncIterator
from typing import Annotated

import structlog
from fastapi import Depends, Request
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from backend.admin.service import AdminService
from kit.errors import Unavailable

log = structlog.get_logger()


async def admin_service(request: Request) -> AdminService:
    """Returns the admin service of this process."""
    service: AdminService = request.state.admin
    return service


async def _service(service: Annotated[AdminService, Depends(admin_service)]) -> AsyncIterator[AdminService]:
    """Gives a route the admin service.

    Raises Unavailable when the database cannot be reached or is busy for too long.
    """
    try:
        yield service
    except (IntegrityError, DataError):
        raise  # The database works but refuses the statement: a bug in Logsieve, answered as an internal error.
    except (SQLAlchemyError, OSError) as error:
        # The reason names hosts and statements, so it goes to the log and not to the client.
        log.warning("the database of the control plane failed", error=str(error).split("\n")[0])
        raise Unavailable(
            "the database of tenants and keys did not answer, so nothing was read or changed; try again", retry_after=2
        ) from error


Service = Annotated[AdminService, Depends(_service)]
