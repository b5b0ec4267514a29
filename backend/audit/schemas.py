"""JSON models of the audit log."""

from typing import Any

from pydantic import BaseModel, Field

from backend.audit.service import AuditRecord
from backend.times import format_time


class AuditEntryBody(BaseModel):
    id: str
    at: str
    action: str = Field(description="The change: `tenant.create`, `key.revoke`, `policy.set`, …")
    tenant: str | None = Field(
        description="Name, at that time, of the tenant that was changed; null for a change that concerns all tenants."
    )
    actor: str = Field(
        description="`key <id>`, or `user@host` for a command. Tenants see `operator` for changes by an operator."
    )
    address: str | None = Field(
        description="Client address of the request; null for commands. Tenants see null for changes by an operator."
    )
    before: dict[str, Any] = Field(description="Changed values before the change; empty if something was created.")
    after: dict[str, Any]


class AuditPage(BaseModel):
    entries: list[AuditEntryBody]
    next_cursor: str | None = Field(description="Value of `cursor` for the next page; null on the last page.")


def audit_page(records: list[AuditRecord], limit: int) -> AuditPage:
    """Returns a page of at most `limit` entries. `records` has one more if there is a next page."""
    return AuditPage(
        entries=list(map(_body, records[:limit])),
        next_cursor=str(records[limit - 1].id) if len(records) > limit else None,
    )


def _body(record: AuditRecord) -> AuditEntryBody:
    return AuditEntryBody(
        id=str(record.id),
        at=format_time(record.at_ns),
        action=record.action,
        tenant=record.tenant,
        actor=record.actor,
        address=record.address,
        before=dict(record.before),
        after=dict(record.after),
    )
