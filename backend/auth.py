"""Who asks: the key of the Authorization header, checked against the process's copy of the control plane."""

from collections.abc import Callable
from typing import Annotated, Final

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from backend.state import State, state_of
from kit.errors import Forbidden, Unauthenticated
from schema.control.directory import Grant, Tenant
from schema.control.models import Purpose

NO_KEY: Final = (
    "This request carries no key. Send one as `Authorization: Bearer <key>`; `logsieve key create` makes one."
)

_CAN: Final = {Purpose.ingest: "send logs", Purpose.query: "read logs", Purpose.admin: "manage tenants and keys"}

_bearer = HTTPBearer(auto_error=False, description="A key of purpose `query`; `admin` under /api/v1/admin.")


def _grant(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    state: Annotated[State, Depends(state_of)],
) -> Grant:
    if credentials is None:
        raise Unauthenticated(NO_KEY)
    return state.directory.grant(credentials.credentials)


def _query_tenant(request: Request, grant: Annotated[Grant, Depends(_grant)]) -> Tenant:
    if grant.purpose is not Purpose.query:
        raise Forbidden(_wrong_key(request, grant, Purpose.query))
    return grant.tenant


QueryTenant = Annotated[Tenant, Depends(_query_tenant)]
"""The tenant of a query key; a route that takes it may be called with nothing else."""


def _key_check(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    state: Annotated[State, Depends(state_of)],
) -> Callable[[], Grant]:
    return lambda: _grant(credentials, state)


KeyCheck = Annotated[Callable[[], Grant], Depends(_key_check)]
"""For answers that last: raises Unauthenticated once the request's key was revoked."""


def _admin_of(request: Request, grant: Annotated[Grant, Depends(_grant)]) -> Tenant:
    if grant.purpose is not Purpose.admin:
        raise Forbidden(_wrong_key(request, grant, Purpose.admin))
    return grant.tenant


def _wrong_key(request: Request, grant: Grant, needed: Purpose) -> str:
    article = "an" if needed is Purpose.admin else "a"
    return (
        f"This key can only {_CAN[grant.purpose]}. {request.url.path} needs {article} {needed} key: create one with "
        f"`logsieve key create TENANT {needed}`."
    )


AdminOf = Annotated[Tenant, Depends(_admin_of)]
"""The tenant of an admin key."""
