"""Checks the key of the Authorization header against the process's copy of the control plane."""

from collections.abc import Callable
from typing import Annotated, Final

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from backend.caller import Caller
from backend.state import State, state_of
from kit.client_address import connection_address
from kit.errors import Forbidden, Unauthenticated
from schema.control.changes import Actor
from schema.control.directory import Grant, Tenant
from schema.control.models import Purpose

NO_KEY: Final = (
    "This request carries no key. Send one as `Authorization: Bearer <key>`; `logsieve key create TENANT query` makes "
    "one (`admin` in place of `query` for paths under /api/v1/admin). In a browser, open the address without a path "
    "and sign in with a query key."
)

_CAN: Final = {
    Purpose.ingest: "send logs",
    Purpose.query: "read logs, and change saved views, dashboards and alert rules",
    Purpose.admin: "manage tenants and keys",
}

_bearer = HTTPBearer(auto_error=False, description="A key of purpose `query`; `admin` under /api/v1/admin.")


def _checked(request: Request, credentials: HTTPAuthorizationCredentials | None, state: State) -> Grant:
    if credentials is None:
        raise Unauthenticated(NO_KEY)
    address = connection_address(request, state.settings.proxies)
    return state.directory.grant(credentials.credentials, address)


async def _grant(
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    state: Annotated[State, Depends(state_of)],
) -> Grant:
    return _checked(request, credentials, state)


async def _query_tenant(
    request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Tenant:
    # Every search runs this function. It is one dependency that does everything, because FastAPI takes 0.1 ms for each
    # dependency.
    grant = _checked(request, credentials, await state_of(request))
    if grant.purpose is not Purpose.query:
        raise Forbidden(_wrong_key(request, grant, Purpose.query))
    return grant.tenant


QueryTenant = Annotated[Tenant, Depends(_query_tenant)]
"""Tenant of the request's key. A route with this parameter accepts query keys only."""


async def _key_check(
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    state: Annotated[State, Depends(state_of)],
) -> Callable[[], Grant]:
    return lambda: _checked(request, credentials, state)


KeyCheck = Annotated[Callable[[], Grant], Depends(_key_check)]
"""Checks the key again during a long answer: raises Unauthenticated once it was revoked."""


async def _admin_caller(
    request: Request,
    grant: Annotated[Grant, Depends(_grant)],
    state: Annotated[State, Depends(state_of)],
) -> Caller:
    caller = _caller(request, grant, state, Purpose.admin)
    if request.method != "GET" and not caller.is_operator:
        state.changes.count(caller.tenant.id, Purpose.admin)
    return caller


async def _query_caller(
    request: Request,
    grant: Annotated[Grant, Depends(_grant)],
    state: Annotated[State, Depends(state_of)],
) -> Caller:
    caller = _caller(request, grant, state, Purpose.query)
    if request.method != "GET":
        state.changes.count(caller.tenant.id, Purpose.query)
    return caller


def _caller(request: Request, grant: Grant, state: State, needed: Purpose) -> Caller:
    if grant.purpose is not needed:
        raise Forbidden(_wrong_key(request, grant, needed))
    address = connection_address(request, state.settings.proxies)
    return Caller(grant.tenant, Actor.of_key(grant.key_id, grant.tenant.id, address))


def _wrong_key(request: Request, grant: Grant, needed: Purpose) -> str:
    article = "an" if needed is Purpose.admin else "a"
    return (
        f"This key can only {_CAN[grant.purpose]}. {request.url.path} needs {article} {needed} key: create one with "
        f"`logsieve key create TENANT {needed}`."
    )


AdminCaller = Annotated[Caller, Depends(_admin_caller)]
"""Owner of the request's key. A route with this parameter accepts admin keys only."""

QueryCaller = Annotated[Caller, Depends(_query_caller)]
"""Owner of the request's key. A route with this parameter accepts query keys only, and can name the author of changes.
Searches take `QueryTenant`, which costs less."""
