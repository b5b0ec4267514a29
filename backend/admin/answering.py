"""The admin service as routes use it: a control plane that is away is answered as Unavailable."""

from collections.abc import AsyncIterator
from typing import Annotated

import structlog
from fastapi import Depends
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from backend.admin.service import AdminService
from backend.state import State, state_of
from kit.errors import Unavailable

log = structlog.get_logger()


async def _service(state: Annotated[State, Depends(state_of)]) -> AsyncIterator[AdminService]:
    """Gives a route the service. Raises Unavailable where the database is away or busy for too long."""
    try:
        yield state.admin
    except (IntegrityError, DataError):
        raise  # The database is well and a statement of ours is wrong: a fault of ours.
    except (SQLAlchemyError, OSError) as error:
        # The reason names hosts and statements: for the log, not for the client.
        log.warning("control plane cannot be used", error=str(error).split("\n")[0])
        raise Unavailable("tenants and keys cannot be read or changed for now", retry_after=2) from error


Service = Annotated[AdminService, Depends(_service)]
