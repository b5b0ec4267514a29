"""The routes of alert rules, for query keys. Users of a tenant share its rules."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from backend.alerts.schemas import (
    Alert,
    AlertChange,
    AlertHistory,
    AlertMute,
    Alerts,
    AlertStatus,
    AlertTest,
    NewAlert,
    alert_body,
    history_body,
    status_body,
)
from backend.alerts.service import AlertService
from backend.answers.response import built_response
from backend.auth import QueryCaller
from backend.control_failures import control_service
from backend.list_response import list_response
from backend.problems import responses
from backend.state import ProcessState
from backend.times import parse_time
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
    prefix="/api/v1/alerts",
    tags=["alerts"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, Unavailable),
)


Service = Annotated[AlertService, control_service("alerts")]


@router.get("", response_model=Alerts, responses=responses(RateLimited))
async def list_alerts(caller: QueryCaller, service: Service, state: ProcessState) -> Response:
    """Lists the tenant's alert rules and their states."""
    return await list_response(state, caller.tenant.id, "alerts", lambda: service.rules(caller.tenant.id), alert_body)


@router.post("", status_code=201, responses=responses(Conflict, TooLarge, RateLimited))
async def create_alert(caller: QueryCaller, service: Service, requested: NewAlert) -> Alert:
    """Saves a new alert rule. A tenant may have 500."""
    return alert_body(await service.create(caller, requested.content(requested.channels)))


@router.get("/{id}", response_model=AlertStatus, responses=responses(NotFound, RateLimited))
async def get_alert(caller: QueryCaller, service: Service, state: ProcessState, id: str) -> Response:
    """Returns one alert rule, with its groups that are pending or firing."""
    status = await service.status(caller.tenant.id, id)
    return await built_response(lambda: status_body(status.rule, status.groups), caller.tenant.id, state.resources)


@router.put("/{id}", responses=responses(NotFound, Conflict, TooLarge, RateLimited))
async def change_alert(caller: QueryCaller, service: Service, id: str, requested: AlertChange) -> Alert:
    """Replaces an alert rule. The rule starts again in state `ok`.

    Answers 409: code `revision_conflict` if it was changed after the given revision, `conflict` if another rule has the
    name.
    """
    content = requested.content(requested.channels or [])
    keeps_channels = requested.channels is None
    return alert_body(await service.change(caller, id, content, requested.revision, keeps_channels=keeps_channels))


@router.delete("/{id}", status_code=204, responses=responses(NotFound, Conflict, RateLimited))
async def delete_alert(
    caller: QueryCaller,
    service: Service,
    id: str,
    revision: Annotated[
        int | None, Query(description="Revision to delete. If the rule has another revision, the request is refused.")
    ] = None,
) -> None:
    """Deletes an alert rule and its history."""
    await service.delete(caller, id, revision)


@router.post("/{id}/mute", responses=responses(NotFound, TooLarge, RateLimited))
async def mute_alert(caller: QueryCaller, service: Service, id: str, requested: AlertMute) -> Alert:
    """Mutes an alert rule until a time. The rule is still evaluated, but sends no notices of groups that begin to
    fire."""
    until_ns = None if requested.until is None else parse_time(requested.until, "until")
    return alert_body(await service.mute(caller, id, until_ns))


@router.post("/{id}/test", status_code=202, responses=responses(NotFound, RateLimited))
async def test_alert(caller: QueryCaller, service: Service, id: str) -> AlertTest:
    """Sends a test notice to each channel of an alert rule."""
    return AlertTest(notices=await service.test(caller, id))


@router.get("/{id}/history", response_model=AlertHistory, responses=responses(NotFound, RateLimited))
async def get_alert_history(caller: QueryCaller, service: Service, state: ProcessState, id: str) -> Response:
    """Returns the newest changes of state and notices of an alert rule."""
    async with state.lists.of(caller.tenant.id):
        history = await service.history(caller.tenant.id, id)
        return await built_response(lambda: history_body(*history), caller.tenant.id, state.resources)
