"""Who asks: the key of the Authorization header, checked against the process's copy of the control plane."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from backend.state import State, state_of
from kit.errors import Forbidden, Unauthenticated
from schema.control.directory import Grant, Tenant
from schema.control.models import Purpose

_bearer = HTTPBearer(auto_error=False, description="A key of purpose `query`; `admin` under /api/v1/admin.")


def _grant(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    state: Annotated[State, Depends(state_of)],
) -> Grant:
    if credentials is None:
        raise Unauthenticated("send a key: `Authorization: Bearer <key>`")
    return state.directory.grant(credentials.credentials)


def _query_tenant(request: Request, grant: Annotated[Grant, Depends(_grant)]) -> Tenant:
    if grant.purpose is not Purpose.query:
        raise Forbidden(f"this is a key to {grant.purpose}; {request.url.path} takes a key to query")
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
        raise Forbidden(f"this is a key to {grant.purpose}; {request.url.path} takes a key to admin")
    return grant.tenant


AdminOf = Annotated[Tenant, Depends(_admin_of)]
"""The tenant of an admin key."""
