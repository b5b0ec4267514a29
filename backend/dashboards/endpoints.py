"""The routes of dashboards, for query keys. Users of a tenant share its dashboards."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from backend.answers.response import built_response
from backend.auth import QueryCaller
from backend.control_failures import control_service
from backend.dashboards.schemas import (
    Dashboard,
    DashboardChange,
    DashboardMembers,
    Dashboards,
    DashboardWithViews,
    dashboard_body,
    opened_body,
)
from backend.dashboards.service import DashboardService
from backend.list_response import list_response
from backend.problems import responses
from backend.state import ProcessState
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
    prefix="/api/v1/dashboards",
    tags=["dashboards"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, Unavailable),
)


Service = Annotated[DashboardService, control_service("dashboards")]


@router.get("", response_model=Dashboards, responses=responses(RateLimited))
async def list_dashboards(caller: QueryCaller, service: Service, state: ProcessState) -> Response:
    """Lists the tenant's dashboards."""
    return await list_response(
        state, caller.tenant.id, "dashboards", lambda: service.dashboards(caller.tenant.id), dashboard_body
    )


@router.post("", status_code=201, responses=responses(Conflict, TooLarge, RateLimited))
async def create_dashboard(caller: QueryCaller, service: Service, requested: DashboardMembers) -> Dashboard:
    """Saves a new dashboard. A tenant may have 100."""
    return dashboard_body(await service.create(caller, requested.content()))


@router.get("/{id}", response_model=DashboardWithViews, responses=responses(NotFound, RateLimited))
async def get_dashboard(caller: QueryCaller, service: Service, state: ProcessState, id: str) -> Response:
    """Returns one dashboard and the views of its panels."""
    async with state.lists.of(caller.tenant.id):
        opened = await service.opened(caller.tenant.id, id)
        return await built_response(lambda: opened_body(opened), caller.tenant.id, state.resources)


@router.put("/{id}", responses=responses(NotFound, Conflict, TooLarge, RateLimited))
async def change_dashboard(caller: QueryCaller, service: Service, id: str, requested: DashboardChange) -> Dashboard:
    """Replaces a dashboard.

    Answers 409: code `revision_conflict` if it was changed after the given revision, `conflict` if another dashboard
    has the name.
    """
    return dashboard_body(await service.change(caller, id, requested.content(), requested.revision))


@router.delete("/{id}", status_code=204, responses=responses(NotFound, Conflict, RateLimited))
async def delete_dashboard(
    caller: QueryCaller,
    service: Service,
    id: str,
    revision: Annotated[
        int | None,
        Query(description="Revision to delete. If the dashboard has another revision, the request is refused."),
    ] = None,
) -> None:
    """Deletes a dashboard. Its views stay."""
    await service.delete(caller, id, revision)
