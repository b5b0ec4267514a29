"""The route /api/v1/logs/export."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field

from backend.answers.paced_response import PacedResponse
from backend.auth import KeyCheck, QueryTenant
from backend.export.csv_columns import MAX_COLUMNS, read_columns
from backend.export.formats import MEDIA_TYPES, FileForm, Format
from backend.export.service import ExportService, started
from backend.logs.parameters import SearchParameters
from backend.problems import responses
from backend.store.order import Order
from backend.store.scope import TimeRange
from backend.times import format_time
from kit.errors import Forbidden, InvalidRequest, QueryTooExpensive, RateLimited, Unauthenticated, Unavailable
from schema.control.directory import Grant, Tenant

router = APIRouter(
    prefix="/api/v1/logs",
    tags=["logs"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, QueryTooExpensive, RateLimited, Unavailable),
)


async def _service(request: Request) -> ExportService:
    service: ExportService = request.state.export
    return service


class ExportParameters(SearchParameters):
    """Parameters of an export."""

    format: Format = Field(
        Format.ndjson, description="`ndjson`: the API's records, one a line; `csv`: a table with a header."
    )
    order: Order = Field(Order.desc, description="`desc`: newest first; `asc`: oldest first.")
    columns: str | None = Field(
        None,
        description="Columns of a CSV file, separated by commas: members of the record such as `timestamp` and `body`, "
        f"and fields as in queries such as `service` and `user.id`. At most {MAX_COLUMNS}. Write a comma in a name as "
        "`%2C` and a percent sign as `%25`. If left out, the file has all members of the record.",
    )

    def csv_columns(self) -> tuple[str, ...]:
        """Returns the columns of a CSV file. Raises InvalidRequest for invalid columns, and if columns are given
        for NDJSON."""
        if self.columns is not None and self.format is not Format.csv:
            raise InvalidRequest("columns needs format=csv: NDJSON has whole records")
        return read_columns(self.columns)


_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One record a line. An NDJSON export that fails after its beginning ends with the line "
        '`{"error": problem}`. A CSV export that fails ends without the end mark of its transfer encoding.',
        "content": {
            "application/x-ndjson": {"schema": {"type": "string"}},
            "text/csv": {"schema": {"type": "string"}},
        },
    }
}
Service = Annotated[ExportService, Depends(_service)]


async def _file(
    tenant: Tenant, check: Callable[[], Grant], service: ExportService, requested: ExportParameters
) -> PacedResponse:
    time_range = service.range(tenant, requested.range())
    file = FileForm(requested.format, requested.csv_columns())
    lines = service.stream(lambda: check().tenant, requested.query, time_range, requested.order, file)
    pieces = await started(lines, requested.format, check)
    disposition = f'attachment; filename="{file_name(time_range, requested.format)}"'
    return PacedResponse(pieces, MEDIA_TYPES[requested.format], {"Content-Disposition": disposition})


@router.get("/export", status_code=200, response_class=PacedResponse, responses=_FILE)
async def export(
    tenant: QueryTenant, check: KeyCheck, service: Service, requested: Annotated[ExportParameters, Query()]
) -> PacedResponse:
    """Exports all matching records as a stream. The limits of a search apply to each page that is read on the way."""
    return await _file(tenant, check, service, requested)


@router.post("/export", status_code=200, response_class=PacedResponse, responses=_FILE)
async def export_by_body(
    tenant: QueryTenant, check: KeyCheck, service: Service, requested: ExportParameters
) -> PacedResponse:
    """Exports all matching records as GET does, with the parameters as a JSON body."""
    return await _file(tenant, check, service, requested)


def file_name(time_range: TimeRange, format: Format) -> str:
    """Returns the file's name, which has the range to the second: `logs-20260131T120000Z-20260131T130000Z.csv`."""
    first, last = (
        format_time(ns)[:19].replace("-", "").replace(":", "") for ns in (time_range.start_ns, time_range.end_ns)
    )
    return f"logs-{first}Z-{last}Z.{format}"
