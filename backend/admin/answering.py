"""Gives routes the admin service. Answers Unavailable when the control plane's database does not respond."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request

from backend.admin.service import AdminService
from backend.control_failures import control_failures


async def admin_service(request: Request) -> AdminService:
    """Returns the admin service of this process."""
    service: AdminService = request.state.admin
    return service


async def _service(service: Annotated[AdminService, Depends(admin_service)]) -> AsyncIterator[AdminService]:
    """Gives a route the admin service. Ends before the answer is sent, so that a client that stops reading is not
    mistaken for a failure of the database.

    Raises Unavailable when the database cannot be reached or is busy for too long.
    """
    async with control_failures():
        yield service


Service = Annotated[AdminService, Depends(_service, scope="function")]
