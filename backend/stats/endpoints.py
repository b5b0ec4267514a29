"""The routes under /api/v1/logs/stats."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from backend.answers.response import model_response
from backend.auth import QueryTenant
from backend.logs.parameters import SearchParameters
from backend.problems import responses
from backend.state import state_of
from backend.stats.schemas import LogStats
from backend.stats.service import StatsService
from kit.errors import Forbidden, InvalidRequest, QueryTooExpensive, RateLimited, Unauthenticated, Unavailable
from schema.control.directory import Tenant

router = APIRouter(
    prefix="/api/v1/logs/stats",
    tags=["logs"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, QueryTooExpensive, RateLimited, Unavailable),
)


def _service(request: Request) -> StatsService:
    service: StatsService = request.state.stats
    return service


@router.get("", response_model=LogStats)
async def stats(request: Request, tenant: QueryTenant, requested: Annotated[SearchParameters, Query()]) -> Response:
    """Computes numbers over matching records. `query` ends in `| stats`, as in `error | stats count() by service`."""
    return await _answer(request, tenant, await _service(request).stats(tenant, requested))


@router.post("", response_model=LogStats)
async def stats_by_body(request: Request, tenant: QueryTenant, requested: SearchParameters) -> Response:
    """Computes numbers as GET does, with the parameters as a JSON body."""
    return await _answer(request, tenant, await _service(request).stats(tenant, requested))


async def _answer(request: Request, tenant: Tenant, computed: LogStats) -> Response:
    return await model_response(computed, tenant.id, (await state_of(request)).resources)
