"""The route that shows the erasures of deleted tenants, for operators."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from backend.admin.service import AdminService
from backend.auth import AdminCaller
from backend.control_failures import control_service
from backend.list_response import list_response
from backend.problems import responses
from backend.state import ProcessState
from backend.times import format_optional_time, format_time
from kit.errors import Forbidden, InvalidRequest, NotFound, RateLimited, Unauthenticated, Unavailable
from schema.control.erasures import Erasure, Phase

router = APIRouter(
    prefix="/api/v1/admin/erasures",
    tags=["admin"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, NotFound, RateLimited, Unavailable),
)

Service = Annotated[AdminService, control_service("admin")]


class ErasedPlace(BaseModel):
    place: str = Field(description="A table of a shard, the dead letters, or a table of the control plane.")
    found: int | None = Field(
        description="Largest number of rows, parts or dead letters found there; null if not counted."
    )
    left: int | None = Field(description="Number that was left at the last check; null before the first check.")


class ErasureBody(BaseModel):
    tenant_id: int
    tenant: str = Field(description="Name of the tenant before its deletion.")
    store: str = Field(description="Consumer group of the loaders that erase.")
    deleted_at: str
    phase: Phase
    detail: str = Field(description="Reason why the phase waits; empty if it does not.")
    erased_at: str | None
    places: list[ErasedPlace]
    remarks: list[str] = Field(description="Data that could not be checked, such as detached parts.")


class Erasures(BaseModel):
    erasures: list[ErasureBody]


@router.get("", response_model=Erasures)
async def list_erasures(
    caller: AdminCaller,
    service: Service,
    state: ProcessState,
    tenant: Annotated[
        str | None, Query(description="Name of the tenant before its deletion, or # and its number.")
    ] = None,
) -> Response:
    """Lists the progress of erasing deleted tenants, place by place, the latest deletion first. For operators."""
    return await list_response(state, caller.tenant.id, "erasures", lambda: service.erasures(caller, tenant), _body)


def _body(erasure: Erasure) -> ErasureBody:
    progress = erasure.progress
    places = sorted(progress.found.keys() | progress.left.keys())
    return ErasureBody(
        tenant_id=erasure.tenant_id,
        tenant=erasure.name,
        store=erasure.store,
        deleted_at=format_time(erasure.deleted_at_ns),
        phase=progress.phase,
        detail=progress.detail,
        erased_at=format_optional_time(erasure.erased_at_ns),
        places=[
            ErasedPlace(place=each, found=progress.found.get(each), left=progress.left.get(each)) for each in places
        ],
        remarks=list(progress.remarks),
    )
