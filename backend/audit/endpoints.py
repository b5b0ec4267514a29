"""The route of the audit log, for admin keys."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from backend.admin.service import AdminService
from backend.answers.response import built_response
from backend.audit.schemas import AuditPage, audit_page
from backend.auth import AdminCaller
from backend.control_failures import control_service
from backend.problems import responses
from backend.state import ProcessState
from backend.times import parse_time
from kit.errors import Forbidden, InvalidCursor, InvalidRequest, NotFound, RateLimited, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/admin/audit",
    tags=["admin"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, NotFound, RateLimited, Unavailable),
)

Service = Annotated[AdminService, control_service("admin")]


@router.get("", response_model=AuditPage)
async def audit(
    caller: AdminCaller,
    service: Service,
    state: ProcessState,
    tenant: Annotated[
        str | None,
        Query(
            description="Name of the tenant whose entries are listed. Only operators may name a tenant other than "
            "their own."
        ),
    ] = None,
    since: Annotated[
        str | None, Query(description="Start of the range, inclusive: RFC 3339 or integer nanoseconds since 1970.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the previous page.")] = None,
) -> Response:
    """Lists changes of tenants, keys, limits, retention, attribute rules, redactions, views, dashboards and alert
    rules, newest first. Operators see the changes of all tenants."""
    if cursor is not None and not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 19):
        raise InvalidCursor(
            f"{cursor[:40]!r} is not a cursor of the audit log: send `next_cursor` of the previous page"
        )
    below = None if cursor is None else int(cursor)
    since_ns = 0 if since is None else parse_time(since, "since")
    async with state.lists.of(caller.tenant.id):
        # One entry more than the page has is read, because it shows whether there is a next page.
        records = await service.audit(caller, tenant, since_ns=since_ns, below=below, limit=limit + 1)
        return await built_response(lambda: audit_page(records, limit), caller.tenant.id, state.resources)
