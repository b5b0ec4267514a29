"""The routes under /api/v1/logs."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query
from fastapi.responses import Response

from backend.auth import QueryTenant
from backend.paced_response import PacedResponse
from backend.problems import responses
from backend.search import stream
from backend.search.asked import PageOptions
from backend.search.cursor import Order
from backend.search.log_json import encoded_page
from backend.search.page_response import json_response
from backend.search.parameters import Asked, OrderParameter
from backend.search.records import to_log
from backend.search.schemas import Explanation, Histogram, Log, Plan, SearchPage
from backend.search.service import SearchService
from backend.state import State, state_of
from kit.errors import Forbidden, InvalidRequest, NotFound, QueryTooExpensive, RateLimited, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/logs",
    tags=["logs"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, QueryTooExpensive, RateLimited, Unavailable),
)


def _service(state: Annotated[State, Depends(state_of)]) -> SearchService:
    return state.search


Service = Annotated[SearchService, Depends(_service)]
PlanParameter = Annotated[Plan, Query(description="How to read; auto chooses. The page is the same.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Most records on the page.")]


@router.get(
    "/search",
    response_model=SearchPage,
    responses={
        200: {
            "description": "A page; with `Accept: application/x-ndjson` a SearchLine a line, as windows finish.",
            "content": {stream.MEDIA_TYPE: {"schema": {"type": "string"}}},
        }
    },
)
async def search(
    tenant: QueryTenant,
    service: Service,
    asked: Asked,
    order: OrderParameter = Order.desc,
    limit: Limit = 100,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the page before.")] = None,
    plan: PlanParameter = Plan.auto,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
) -> Response:
    """A page of records in a total, stable order by (timestamp, id)."""
    options = PageOptions(order, limit, cursor, plan)
    if stream.MEDIA_TYPE in accept.lower():
        lines = await stream.begun(service.stream(tenant, asked, options))
        return PacedResponse(lines, stream.MEDIA_TYPE)
    found = await service.page(tenant, asked, options)
    pieces = await encoded_page(found.rows, next_cursor=found.next_cursor, stats=found.stats.model_dump())
    return await json_response(pieces, tenant.id, service.answers)


@router.get("/histogram")
async def histogram(
    tenant: QueryTenant,
    service: Service,
    asked: Asked,
    buckets: Annotated[int, Query(ge=1, le=1000, description="Most whole buckets to return.")] = 60,
) -> Histogram:
    """Exact counts over time, by severity."""
    return await service.histogram(tenant, asked, buckets)


@router.get("/explain")
async def explain(
    tenant: QueryTenant,
    service: Service,
    asked: Asked,
    order: OrderParameter = Order.desc,
    limit: Limit = 100,
    plan: PlanParameter = Plan.auto,
) -> Explanation:
    """How a search is understood, planned and read."""
    return await service.explain(tenant, asked, PageOptions(order, limit, plan=plan))


@router.get("/{id}", responses=responses(NotFound))
async def record(
    tenant: QueryTenant,
    service: Service,
    id: Annotated[str, Path(description="A record's `id`.")],
) -> Log:
    """One record."""
    return to_log(await service.record(tenant, id))
