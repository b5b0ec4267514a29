"""The routes of a tenant's redactions, for admin keys. Those of the installation are changed by command only."""

from fastapi import APIRouter

from backend.admin.answering import Service
from backend.auth import AdminOf
from backend.policies.redaction_schemas import BodyRedactionRequest, BodyRedactions, redaction_body
from backend.problems import responses
from kit.errors import Forbidden, InvalidRequest, NotFound, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/admin/tenants/{name}/body-redactions",
    tags=["admin"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, NotFound, Unavailable),
)


@router.get("")
async def list_body_redactions(asker: AdminOf, service: Service, name: str) -> BodyRedactions:
    """Lists the redactions of a tenant's bodies: those of the installation first, then the tenant's own."""
    return BodyRedactions(redactions=[redaction_body(each) for each in await service.redactions(asker, name)])


@router.put("/{redaction}", status_code=204)
async def set_body_redaction(
    asker: AdminOf, service: Service, name: str, redaction: str, asked: BodyRedactionRequest
) -> None:
    """Store `***` for matches in bodies; holds within 5 s. Replaces the tenant's redaction of the same name.

    Without an expression the name is one of those built in: card, email, bearer, jwt, aws-key, private-key.
    """
    await service.set_redaction(asker, name, redaction, asked.expression)


@router.delete("/{redaction}", status_code=204)
async def remove_body_redaction(asker: AdminOf, service: Service, name: str, redaction: str) -> None:
    """Store matches again from 5 s on. What was redacted does not come back."""
    await service.remove_redaction(asker, name, redaction)
