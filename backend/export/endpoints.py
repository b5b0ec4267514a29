"""The route /api/v1/logs/export."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from backend.auth import KeyCheck, QueryTenant
from backend.export.formats import MEDIA_TYPES, Format
from backend.export.service import ExportService, begun
from backend.paced_response import PacedResponse
from backend.problems import responses
from backend.search.cursor import Order
from backend.search.parameters import Asked, OrderParameter
from backend.search.scope import TimeRange
from backend.search.times import format_time
from backend.state import State, state_of
from kit.errors import Forbidden, InvalidRequest, QueryTooExpensive, RateLimited, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/logs",
    tags=["logs"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, QueryTooExpensive, RateLimited, Unavailable),
)


def _service(state: Annotated[State, Depends(state_of)]) -> ExportService:
    return state.export


@router.get(
    "/export",
    status_code=200,
    response_class=PacedResponse,
    responses={
        200: {
            "description": "One record a line. An NDJSON export that fails on its way ends with the line "
            '`{"error": problem}`; a CSV export then ends without the end mark of its transfer encoding.',
            "content": {
                "application/x-ndjson": {"schema": {"type": "string"}},
                "text/csv": {"schema": {"type": "string"}},
            },
        }
    },
)
async def export(
    tenant: QueryTenant,
    check: KeyCheck,
    service: Annotated[ExportService, Depends(_service)],
    asked: Asked,
    format: Annotated[Format, Query(description="NDJSON of the API's records, or CSV.")] = Format.ndjson,
    order: OrderParameter = Order.desc,
) -> PacedResponse:
    """Every matching record, streamed; the limits of a search apply to each page that is read on the way."""
    time_range = service.range(tenant, asked)
    pieces = await begun(service.stream(tenant, asked.query, time_range, order, format), format, check)
    disposition = f'attachment; filename="{file_name(time_range, format)}"'
    return PacedResponse(pieces, MEDIA_TYPES[format], {"Content-Disposition": disposition})


def file_name(time_range: TimeRange, format: Format) -> str:
    """`logs-20260131T120000Z-20260131T130000Z.csv`: what it holds, to the second."""
    first, last = (
        format_time(ns)[:19].replace("-", "").replace(":", "") for ns in (time_range.start_ns, time_range.end_ns)
    )
    return f"logs-{first}Z-{last}Z.{format}"
