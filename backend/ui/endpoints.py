"""Routes that the web UI calls before it can search: the key for a sign-in link, and the tenant of its key."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request
from pydantic import BaseModel, Field

from backend.auth import QueryTenant
from backend.problems import responses
from backend.state import State, state_of
from kit.clock import SystemClock
from kit.errors import Forbidden, Unauthenticated, Unavailable
from kit.settings import Settings
from schema.sign_in_links import exchange

router = APIRouter(prefix="/api/v1", tags=["ui"])


class Session(BaseModel):
    """The tenant that a sign-in link is for, and its query key."""

    tenant: str
    query_key: str


class TenantView(BaseModel):
    """The tenant that a key belongs to."""

    name: str
    retention_days: int
    ingest_grpc_port: int | None = Field(
        description="Port of OTLP over gRPC on the host of `ingest_url`; null if `LOGSIEVE_INGEST_URL` is set."
    )
    ingest_url: str = Field(description="Address of OTLP over HTTP, to which a sender adds `/v1/logs`.")


@router.post("/ui/session", responses=responses(Unauthenticated))
def session(
    state: Annotated[State, Depends(state_of)],
    # A custom header cannot be sent by pages of other origins, because the API allows no other origin.
    token: Annotated[str, Header(alias="X-Logsieve-Sign-In", max_length=200, description="Token of a sign-in link.")],
) -> Session:
    """Exchanges the token of a sign-in link for the demo tenant's query key. Each token works once."""
    keys = exchange(state.settings, token, SystemClock())
    if keys is None:
        raise Unauthenticated(
            "this sign-in link was used before or has expired: `logsieve ui` prints a new one for tenant demo, or sign"
            " in with a query key"
        )
    return Session(tenant=keys.tenant, query_key=keys.query_key)


@router.get("/tenant", responses=responses(Unauthenticated, Forbidden, Unavailable))
async def tenant(tenant: QueryTenant, state: Annotated[State, Depends(state_of)], request: Request) -> TenantView:
    """Returns the name and retention of the key's tenant, and the address that takes its logs."""
    return TenantView(
        name=tenant.name,
        retention_days=tenant.retention_days,
        ingest_grpc_port=ingest_grpc_port(state.settings),
        ingest_url=ingest_url(state.settings, request.url.hostname or "localhost"),
    )


def ingest_url(settings: Settings, host: str) -> str:
    """Returns the address of OTLP over HTTP: LOGSIEVE_INGEST_URL if it is set, otherwise the receiver's port on `host`,
    by which the client reached the API."""
    if settings.ingest_url is not None:
        return settings.ingest_url.rstrip("/")
    named = f"[{host}]" if ":" in host else host
    return f"{settings.http_scheme}://{named}:{settings.port(settings.otlp_http_port)}"


def ingest_grpc_port(settings: Settings) -> int | None:
    """Returns the receiver's port of OTLP over gRPC; None if the setting names another address for senders."""
    return None if settings.ingest_url is not None else settings.port(settings.otlp_grpc_port)
