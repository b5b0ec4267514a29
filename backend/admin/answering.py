"""The admin service as routes use it: a control plane that is away is answered as Unavailable."""

from collections.abc import AsyncIterator
from typing import Annotated

import structlog
from fastapi import Depends, Request
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from backend.admin.service import AdminService
from kit.errors import Unavailable

log = structlog.get_logger()


def admin_service(request: Request) -> AdminService:
    """Returns the process's service."""
    service: AdminService = request.state.admin
    return service


async def _service(service: Annotated[AdminService, Depends(admin_service)]) -> AsyncIterator[AdminService]:
    """Gives a route the service. Raises Unavailable where the database is away or busy for too long."""
    try:
        yield service
    except (IntegrityError, DataError):
        raise  # The database is well and a statement of ours is wrong: a fault of ours.
    except (SQLAlchemyError, OSError) as error:
        # The reason names hosts and statements: for the log, not for the client.
        log.warning("control plane cannot be used", error=str(error).split("\n")[0])
        raise Unavailable("tenants and keys cannot be read or changed for now", retry_after=2) from error


Service = Annotated[AdminService, Depends(_service)]
