"""The route /api/v1/usage."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from backend.answers.response import written_response
from backend.auth import QueryTenant
from backend.problems import responses
from backend.state import ProcessState
from backend.times import parse_time
from backend.usage.minutes import Interval
from backend.usage.repository import TenantUsage
from backend.usage.schemas import Usage, usage_json
from kit.errors import Forbidden, InvalidRequest, QueryTooExpensive, RateLimited, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1",
    tags=["usage"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, QueryTooExpensive, RateLimited, Unavailable),
)


async def _repository(request: Request) -> TenantUsage:
    repository: TenantUsage = request.state.usage
    return repository


@router.get("/usage", response_model=Usage)
async def usage(
    tenant: QueryTenant,
    repository: Annotated[TenantUsage, Depends(_repository)],
    state: ProcessState,
    start: Annotated[
        str | None,
        Query(
            description="Start of the range, inclusive: RFC 3339 or integer nanoseconds since 1970, not before 2000; a "
            "day before `end` if left out."
        ),
    ] = None,
    end: Annotated[str | None, Query(description="End of the range, exclusive; now if left out.")] = None,
    interval: Annotated[Interval, Query(description="Length of the intervals by which usage is summed.")] = "minute",
) -> Response:
    """Returns requests, records and bytes of the key's tenant by time of arrival, accepted and refused."""
    start_ns = None if start is None else parse_time(start, "start")
    end_ns = None if end is None else parse_time(end, "end")
    async with state.usages.of(tenant.id):
        sums = await repository.sums(tenant, start_ns, end_ns, interval)
        return await written_response(lambda: usage_json(interval, sums), tenant.id, state.resources)
