"""What the web UI asks before it can search: a key for a one-time sign-in link, and whose key it has."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header
from pydantic import BaseModel

from backend.auth import QueryTenant
from backend.problems import responses
from backend.state import State, state_of
from kit.clock import SystemClock
from kit.errors import Forbidden, Unauthenticated, Unavailable
from schema.sign_in_links import exchange

router = APIRouter(prefix="/api/v1", tags=["ui"])


class Session(BaseModel):
    """The tenant that a sign-in link is for, and its query key."""

    tenant: str
    query_key: str


class TenantView(BaseModel):
    """The tenant a key belongs to."""

    name: str
    retention_days: int


@router.post("/ui/session", responses=responses(Unauthenticated))
def session(
    state: Annotated[State, Depends(state_of)],
    # A header of its own: pages of other origins cannot send it, because the API allows no origin to.
    token: Annotated[str, Header(alias="X-Logsieve-Sign-In", max_length=200, description="Token of a sign-in link.")],
) -> Session:
    """Exchange the token of a sign-in link for the demo tenant's query key. Each token is good for one exchange."""
    keys = exchange(state.settings, token, SystemClock())
    if keys is None:
        raise Unauthenticated(
            "this sign-in link was used before or has expired: `logsieve ui` prints a new one, or sign in with a key"
        )
    return Session(tenant=keys.tenant, query_key=keys.query_key)


@router.get("/tenant", responses=responses(Unauthenticated, Forbidden, Unavailable))
async def tenant(tenant: QueryTenant) -> TenantView:
    """Whose logs the key reads, and for how long they are kept."""
    return TenantView(name=tenant.name, retention_days=tenant.retention_days)
