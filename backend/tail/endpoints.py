"""The route /api/v1/logs/tail."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request
from pydantic import Field

from backend.auth import KeyCheck, QueryTenant
from backend.problems import responses
from backend.strict_body import KnownMembers
from backend.tail.response import TailResponse
from backend.tail.service import TailService
from kit.errors import Forbidden, InvalidRequest, RateLimited, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/logs",
    tags=["logs"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, RateLimited, Unavailable),
)


async def _service(request: Request) -> TailService:
    service: TailService = request.state.tail
    return service


class TailParameters(KnownMembers):
    """Parameters of a tail."""

    query: str = Field("", description="Query text. Empty text matches every record.")


_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-Sent Events. `log`: a record, as in a page of a search. `open`: the stream has "
        "started. `gap`: records are missing here, with the reason. `interrupted`: Kafka is unreachable, and the "
        "stream waits. `restored`: Kafka is reachable again. `end`: the server closes the stream, with a problem and "
        "`dropped`, the number of matching records that were found by then and not sent. Comments are heartbeats.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
Service = Annotated[TailService, Depends(_service)]
LastEventId = Annotated[str | None, Header(description="Id of the last event received. The stream continues after it.")]


@router.get("/tail", status_code=200, response_class=TailResponse, responses=_EVENTS)
async def tail(
    tenant: QueryTenant,
    check: KeyCheck,
    service: Service,
    requested: Annotated[TailParameters, Query()],
    last_event_id: LastEventId = None,
) -> TailResponse:
    """Streams matching records as they arrive."""
    opened = await service.open(tenant.id, requested.query, last_event_id, tenant.ways)
    events = service.events(opened, lambda: check().tenant.ways)
    return TailResponse(events, lambda: service.forget(opened))


@router.post("/tail", status_code=200, response_class=TailResponse, responses=_EVENTS)
async def tail_by_body(
    tenant: QueryTenant, check: KeyCheck, service: Service, requested: TailParameters, last_event_id: LastEventId = None
) -> TailResponse:
    """Streams matching records as GET does, with the parameters as a JSON body."""
    return await tail(tenant, check, service, requested, last_event_id)
