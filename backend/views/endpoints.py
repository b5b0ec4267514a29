"""The routes of saved views, for query keys. Users of a tenant share its views."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from backend.auth import QueryCaller
from backend.control_failures import control_service
from backend.list_response import list_response
from backend.problems import responses
from backend.state import ProcessState
from backend.views.schemas import View, ViewChange, ViewMembers, Views, listed_view, view_body
from backend.views.service import ViewService
from kit.errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    RateLimited,
    TooLarge,
    Unauthenticated,
    Unavailable,
)

router = APIRouter(
    prefix="/api/v1/views",
    tags=["views"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, Unavailable),
)


Service = Annotated[ViewService, control_service("views")]


@router.get("", response_model=Views, responses=responses(RateLimited))
async def list_views(caller: QueryCaller, service: Service, state: ProcessState) -> Response:
    """Lists the tenant's views, without their queries and columns."""
    return await list_response(state, caller.tenant.id, "views", lambda: service.views(caller.tenant.id), listed_view)


@router.post("", status_code=201, responses=responses(Conflict, TooLarge, RateLimited))
async def create_view(caller: QueryCaller, service: Service, requested: ViewMembers) -> View:
    """Saves a new view. A tenant may have 500."""
    return view_body(await service.create(caller, requested.content()))


@router.get("/{id}", responses=responses(NotFound))
async def get_view(caller: QueryCaller, service: Service, id: str) -> View:
    """Returns one view."""
    return view_body(await service.view(caller.tenant.id, id))


@router.put("/{id}", responses=responses(NotFound, Conflict, TooLarge, RateLimited))
async def change_view(caller: QueryCaller, service: Service, id: str, requested: ViewChange) -> View:
    """Replaces a view.

    Answers 409: code `revision_conflict` if it was changed after the given revision, `conflict` if another view has the
    name.
    """
    return view_body(await service.change(caller, id, requested.content(), requested.revision))


@router.delete("/{id}", status_code=204, responses=responses(NotFound, Conflict, RateLimited))
async def delete_view(
    caller: QueryCaller,
    service: Service,
    id: str,
    revision: Annotated[
        int | None, Query(description="Revision to delete. If the view has another revision, the request is refused.")
    ] = None,
) -> None:
    """Deletes a view."""
    await service.delete(caller, id, revision)
