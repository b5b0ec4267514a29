"""The route /api/v1/logs/{id}/context."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response

from backend.answers.response import json_response
from backend.auth import QueryTenant
from backend.context.sameness import read_same
from backend.context.schemas import Context
from backend.context.service import ContextService
from backend.problems import responses
from kit.errors import Forbidden, InvalidRequest, NotFound, QueryTooExpensive, RateLimited, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/logs",
    tags=["logs"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, NotFound, QueryTooExpensive)
    | responses(RateLimited, Unavailable),
)


async def _service(request: Request) -> ContextService:
    service: ContextService = request.state.context
    return service


Neighbours = Annotated[int, Query(ge=0, le=200, description="Largest number of records on this side.")]


@router.get("/{id}/context", response_model=Context)
async def context(
    tenant: QueryTenant,
    service: Annotated[ContextService, Depends(_service)],
    id: Annotated[str, Path(description="A record's `id`.")],
    before: Neighbours = 10,
    after: Neighbours = 10,
    same: Annotated[
        str,
        Query(
            description="Fields whose values the neighbours share with this record, separated by commas: `service`, "
            "`host`, `pod`, `trace`."
        ),
    ] = "",
) -> Response:
    """Returns the records before and after one record. Records of the same nanosecond are ordered by id.

    The server reads neighbours in windows of time, which grow while they are cheap to read. It stops reading a side
    when it has as many records as requested, when the tenant has no more records, after two million rows, when the
    records of the side have 8 MiB, or when its statements have run for twice `LOGSIEVE_QUERY_MAX_SECONDS`. In the last
    three cases `complete_before` or `complete_after` is false.
    """
    text = await service.around(tenant, id, before, after, read_same(same))
    return await json_response(text, tenant.id, service.answers)
