"""What the web UI asks before it can search: a key of its own, and whose it is."""

from ipaddress import ip_address
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel

from backend.auth import QueryTenant
from backend.problems import responses
from backend.state import State, state_of
from kit.errors import Forbidden, Unauthenticated, Unavailable
from schema.demo_keys import read_demo_keys

router = APIRouter(prefix="/api/v1", tags=["ui"])


class Session(BaseModel):
    """A key the page may use without asking for one; both fields null where it has to ask."""

    tenant: str | None
    query_key: str | None


class TenantView(BaseModel):
    """The tenant a key belongs to."""

    name: str
    retention_days: int


@router.get("/ui/session")
async def session(request: Request, state: Annotated[State, Depends(state_of)]) -> Session:
    """The demo key of a one-machine stack, for a browser on that machine."""
    if state.settings.ui_auto_sign_in and _from_this_machine(request):
        keys = read_demo_keys(state.settings)
        if keys is not None:
            return Session(tenant=keys.tenant, query_key=keys.query_key)
    return Session(tenant=None, query_key=None)


@router.get("/tenant", responses=responses(Unauthenticated, Forbidden, Unavailable))
async def tenant(tenant: QueryTenant) -> TenantView:
    """Whose logs the key reads, and for how long they are kept."""
    return TenantView(name=tenant.name, retention_days=tenant.retention_days)


def _from_this_machine(request: Request) -> bool:
    # The Host header too: a hostile site whose name resolves to 127.0.0.1 reaches this port from the user's browser.
    named_so = request.url.hostname in {"localhost", "127.0.0.1", "::1"}
    return named_so and request.client is not None and ip_address(request.client.host).is_loopback
