"""The routes under /api/v1/logs."""

from collections.abc import Sequence
from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import Response

from backend.answers.paced_response import PacedResponse
from backend.answers.response import is_short_model, json_response, model_response, written_response
from backend.auth import QueryTenant
from backend.logs.record_size import size_of
from backend.logs.records import encode_log
from backend.logs.schemas import Log
from backend.problems import responses
from backend.search import stream
from backend.search.page_json import encoded_page, is_short
from backend.search.parameters import ExplainParameters, HistogramParameters, PageParameters
from backend.search.schemas import Explanation, Histogram, SearchPage
from backend.search.service import SearchService
from kit.errors import Forbidden, InvalidRequest, NotFound, QueryTooExpensive, RateLimited, Unauthenticated, Unavailable
from schema.columns import Record
from schema.control.directory import Tenant

router = APIRouter(
    prefix="/api/v1/logs",
    tags=["logs"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, QueryTooExpensive, RateLimited, Unavailable),
)


def _service(request: Request) -> SearchService:
    """Returns the service of the process.

    A plain function and not a dependency, because FastAPI takes 0.1 ms for each dependency.
    """
    service: SearchService = request.state.search
    return service


_PAGE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A page; or, with `Accept: application/x-ndjson`, one SearchLine per line, sent as each time "
        "window finishes.",
        "content": {stream.MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
}
Accept = Annotated[str, Header(include_in_schema=False)]


async def _answer(tenant: Tenant, service: SearchService, requested: PageParameters, accept: str) -> Response:
    if stream.MEDIA_TYPE in accept.lower():
        lines = await stream.started(service.stream(tenant, requested))
        return PacedResponse(lines, stream.MEDIA_TYPE)
    with service.resources.answers.share(tenant.id) as held:

        def count(records: Sequence[Record]) -> None:
            if not is_short(records):
                held.grow(size_of(records))

        # The records are in memory while the page waits for its next statement and for one of a few threads.
        found = await service.page(tenant, requested, count)
        text = await encoded_page(
            service.resources.writers,
            tenant.id,
            found.records,
            next_cursor=found.next_cursor,
            stats=found.stats.model_dump(),
            hints=[hint.model_dump() for hint in found.hints],
        )
    return await json_response(text, tenant.id, service.resources.answers)


@router.get("/search", response_model=SearchPage, responses=_PAGE)
async def search(
    request: Request, tenant: QueryTenant, requested: Annotated[PageParameters, Query()], accept: Accept = ""
) -> Response:
    """Returns a page of records in a total, stable order by (timestamp, id)."""
    return await _answer(tenant, _service(request), requested, accept)


@router.post("/search", response_model=SearchPage, responses=_PAGE)
async def search_by_body(
    request: Request, tenant: QueryTenant, requested: PageParameters, accept: Accept = ""
) -> Response:
    """Searches records as GET does, with the parameters as a JSON body, for queries that are too long for a URL."""
    return await _answer(tenant, _service(request), requested, accept)


async def _counted(tenant: Tenant, service: SearchService, requested: HistogramParameters) -> Response:
    found = await service.histogram(tenant, requested)
    counts = sum(2 + len(bucket.by_severity) for bucket in found.buckets) + sum(len(one.counts) for one in found.series)
    texts = [found.by or "", *(one.value or "" for one in found.series)]
    return await model_response(found, tenant.id, service.resources, is_short=is_short_model(counts, texts))


@router.get("/histogram", response_model=Histogram)
async def histogram(
    request: Request, tenant: QueryTenant, requested: Annotated[HistogramParameters, Query()]
) -> Response:
    """Counts matching records over time, by severity or by the values of the field `by`. The counts are exact."""
    return await _counted(tenant, _service(request), requested)


@router.post("/histogram", response_model=Histogram)
async def histogram_by_body(request: Request, tenant: QueryTenant, requested: HistogramParameters) -> Response:
    """Counts records over time as GET does, with the parameters as a JSON body."""
    return await _counted(tenant, _service(request), requested)


async def _explained(tenant: Tenant, service: SearchService, requested: ExplainParameters) -> Response:
    explanation = await service.explain(tenant, requested)
    return await written_response(lambda: [explanation.json_text()], tenant.id, service.resources)


@router.get("/explain", response_model=Explanation)
async def explain(request: Request, tenant: QueryTenant, requested: Annotated[ExplainParameters, Query()]) -> Response:
    """Explains a search: how its query is understood, planned and read."""
    return await _explained(tenant, _service(request), requested)


@router.post("/explain", response_model=Explanation)
async def explain_by_body(request: Request, tenant: QueryTenant, requested: ExplainParameters) -> Response:
    """Explains a search as GET does, with the parameters as a JSON body."""
    return await _explained(tenant, _service(request), requested)


@router.get("/{id}", response_model=Log, responses=responses(NotFound))
async def record(
    request: Request,
    tenant: QueryTenant,
    id: Annotated[str, Path(description="A record's `id`.")],
) -> Response:
    """Returns one record."""
    service = _service(request)
    found = await service.record(tenant, id)
    attributes = [*found.attributes.items(), *found.resource.items()]
    at_once = is_short_model(2 * len(attributes), chain([found.body], *attributes))
    return await written_response(lambda: [encode_log(found)], tenant.id, service.resources, is_short=at_once)
