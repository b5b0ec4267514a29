"""The routes under /api/v1/logs/fields."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field
from starlette.convertors import PathConvertor, register_url_convertor

from backend.answers.response import is_short_model, model_response
from backend.auth import QueryTenant
from backend.fields.schemas import Fields, Values
from backend.fields.service import FieldsService
from backend.logs.parameters import SearchParameters
from backend.problems import responses
from backend.state import state_of
from kit.errors import Forbidden, InvalidRequest, QueryTooExpensive, RateLimited, Unauthenticated, Unavailable
from schema.control.directory import Tenant


class _NameConvertor(PathConvertor):
    """Path convertor for field names that also accepts line breaks.

    With Starlette's own convertor, a field name with a line break would match no route.
    """

    regex = "(?s:.*)"


register_url_convertor("field_name", _NameConvertor())

router = APIRouter(
    prefix="/api/v1/logs/fields",
    tags=["logs"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, QueryTooExpensive, RateLimited, Unavailable),
)


def _service(request: Request) -> FieldsService:
    service: FieldsService = request.state.fields
    return service


class ValuesParameters(SearchParameters):
    """Parameters of a list of values."""

    prefix: str = Field("", max_length=256, description="Prefix of the values, case-sensitive.")
    limit: int = Field(20, ge=1, le=1000, description="Largest number of values to return.")


Name = Annotated[str, Path(description="A field as it is written in a query, without quotes.")]


@router.get("", response_model=Fields)
async def fields(request: Request, tenant: QueryTenant, requested: Annotated[SearchParameters, Query()]) -> Response:
    """Lists the fields of matching records, with the number of records that have each.

    Without a query, the numbers come from counts made at insert, which lack fields whose names have more than 256
    bytes; with one, from the newest 10,000 matching records.
    """
    return await _fields(request, tenant, requested)


@router.post("", response_model=Fields)
async def fields_by_body(request: Request, tenant: QueryTenant, requested: SearchParameters) -> Response:
    """Lists fields as GET does, with the parameters as a JSON body."""
    return await _fields(request, tenant, requested)


async def _fields(request: Request, tenant: Tenant, requested: SearchParameters) -> Response:
    found = await _service(request).fields(tenant, requested)
    is_short = is_short_model(3 * len(found.fields), (each.name for each in found.fields))
    return await model_response(found, tenant.id, (await state_of(request)).resources, is_short=is_short)


@router.get("/{name:field_name}/values", response_model=Values)
async def values(
    request: Request, tenant: QueryTenant, name: Name, requested: Annotated[ValuesParameters, Query()]
) -> Response:
    """Lists the most frequent values of a field, with the number of matching records that have each."""
    return await _values(request, tenant, name, requested)


@router.post("/{name:field_name}/values", response_model=Values)
async def values_by_body(request: Request, tenant: QueryTenant, name: Name, requested: ValuesParameters) -> Response:
    """Lists values as GET does, with the parameters as a JSON body."""
    return await _values(request, tenant, name, requested)


async def _values(request: Request, tenant: Tenant, name: str, requested: ValuesParameters) -> Response:
    found = await _service(request).values(tenant, requested, name, requested.prefix, requested.limit)
    is_short = is_short_model(2 * len(found.values), [name, *(each.value for each in found.values)])
    return await model_response(found, tenant.id, (await state_of(request)).resources, is_short=is_short)
