"""The routes under /api/v1/logs/fields."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from backend.auth import QueryTenant
from backend.fields.schemas import Fields, Values
from backend.fields.service import FieldsService
from backend.problems import responses
from backend.search.parameters import Asked
from backend.state import State, state_of
from kit.errors import Forbidden, InvalidRequest, QueryTooExpensive, RateLimited, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/logs/fields",
    tags=["logs"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, QueryTooExpensive, RateLimited, Unavailable),
)


def _service(state: Annotated[State, Depends(state_of)]) -> FieldsService:
    return state.fields


Service = Annotated[FieldsService, Depends(_service)]


@router.get("")
async def fields(tenant: QueryTenant, service: Service, asked: Asked) -> Fields:
    """The fields that matching records have, and how many have each.

    Without a query from counts made at insert; with one from the newest 10,000 matching records.
    """
    return await service.fields(tenant, asked)


@router.get("/{name:path}/values")
async def values(
    tenant: QueryTenant,
    service: Service,
    asked: Asked,
    name: Annotated[str, Path(description="A field as it is written in a query, without quotes.")],
    prefix: Annotated[str, Query(max_length=256, description="What the values begin with, case-sensitive.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000, description="Most values to return.")] = 20,
) -> Values:
    """The most frequent values of a field, with how many matching records have each."""
    return await service.values(tenant, asked, name, prefix, limit)
