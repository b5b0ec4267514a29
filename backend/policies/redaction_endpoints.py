"""The routes of a tenant's redactions, for admin keys. Redactions of the installation are changed by command only."""

from typing import Annotated

from fastapi import APIRouter, Response

from backend.admin.service import AdminService
from backend.auth import AdminCaller
from backend.control_failures import control_service
from backend.list_response import list_response
from backend.policies.redaction_schemas import BodyRedactionRequest, BodyRedactions, redaction_body
from backend.problems import responses
from backend.state import ProcessState
from kit.errors import Forbidden, InvalidRequest, NotFound, RateLimited, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/admin/tenants/{name}/body-redactions",
    tags=["admin"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, NotFound, RateLimited, Unavailable),
)

Service = Annotated[AdminService, control_service("admin")]


@router.get("", response_model=BodyRedactions)
async def list_body_redactions(caller: AdminCaller, service: Service, state: ProcessState, name: str) -> Response:
    """Lists the redactions of a tenant's bodies: the installation's first, then the tenant's own."""
    return await list_response(
        state, caller.tenant.id, "redactions", lambda: service.redactions(caller, name), redaction_body
    )


@router.put("/{redaction}", status_code=204)
async def set_body_redaction(
    caller: AdminCaller, service: Service, name: str, redaction: str, requested: BodyRedactionRequest
) -> None:
    """Adds a redaction: stores `***` for matches in bodies.

    Applies within 5 s. Replaces the tenant's redaction of that name. Without an expression, the name is a built-in one:
    card, email, bearer, jwt, aws-key or private-key.
    """
    await service.set_redaction(caller, name, redaction, requested.expression)


@router.delete("/{redaction}", status_code=204)
async def remove_body_redaction(caller: AdminCaller, service: Service, name: str, redaction: str) -> None:
    """Removes a redaction. After at most 5 s, bodies are stored with the text that it matched. Text that was redacted
    before is lost."""
    await service.remove_redaction(caller, name, redaction)
