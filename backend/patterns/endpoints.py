"""The routes under /api/v1/logs/patterns."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from backend.answers.response import model_response
from backend.auth import QueryTenant
from backend.logs.parameters import SearchParameters
from backend.patterns.schemas import LogPatterns
from backend.patterns.service import PatternService
from backend.problems import responses
from backend.state import state_of
from kit.errors import Forbidden, InvalidRequest, QueryTooExpensive, RateLimited, Unauthenticated, Unavailable
from schema.control.directory import Tenant

router = APIRouter(
    prefix="/api/v1/logs/patterns",
    tags=["logs"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, QueryTooExpensive, RateLimited, Unavailable),
)


class PatternParameters(SearchParameters):
    """Parameters of a list of patterns."""

    limit: int = Field(50, ge=1, le=200, description="Largest number of patterns to return.")


def _service(request: Request) -> PatternService:
    service: PatternService = request.state.patterns
    return service


@router.get("", response_model=LogPatterns)
async def patterns(request: Request, tenant: QueryTenant, requested: Annotated[PatternParameters, Query()]) -> Response:
    """Groups at most 10,000 of the matching messages into patterns: templates with `<*>` where messages differ."""
    return await _answer(request, tenant, requested)


@router.post("", response_model=LogPatterns)
async def patterns_by_body(request: Request, tenant: QueryTenant, requested: PatternParameters) -> Response:
    """Groups messages as GET does, with the parameters as a JSON body."""
    return await _answer(request, tenant, requested)


async def _answer(request: Request, tenant: Tenant, requested: PatternParameters) -> Response:
    found = await _service(request).patterns(tenant, requested, requested.limit)
    return await model_response(found, tenant.id, (await state_of(request)).resources)
