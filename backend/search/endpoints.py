"""The routes under /api/v1/logs."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query

from backend.auth import QueryTenant
from backend.problems import responses
from backend.search.cursor import Order
from backend.search.parameters import Asked, OrderParameter
from backend.search.schemas import Explanation, Histogram, Log, SearchPage
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
Limit = Annotated[int, Query(ge=1, le=1000, description="Most records on the page.")]


@router.get("/search")
async def search(
    tenant: QueryTenant,
    service: Service,
    asked: Asked,
    order: OrderParameter = Order.desc,
    limit: Limit = 100,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the page before.")] = None,
    plan: Annotated[Literal["auto", "in_order"], Query(description="How to read; auto chooses.")] = "auto",  # noqa: ARG001
) -> SearchPage:
    """A page of records in a total, stable order by (timestamp, id)."""
    return await service.page(tenant, asked, order, limit, cursor)


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
) -> Explanation:
    """How a search is understood, planned and read."""
    return await service.explain(tenant, asked, order, limit)


@router.get("/{id}", responses=responses(NotFound))
async def record(
    tenant: QueryTenant,
    service: Service,
    id: Annotated[str, Path(description="A record's `id`.")],
) -> Log:
    """One record."""
    return await service.record(tenant, id)
