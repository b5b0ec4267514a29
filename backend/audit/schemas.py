"""JSON models of the audit log."""

from typing import Any

from pydantic import BaseModel, Field

from backend.audit.service import AuditRecord
from backend.times import format_time


class AuditEntryBody(BaseModel):
    id: str
    at: str
    action: str = Field(description="What was done: `tenant.create`, `key.revoke`, `policy.set`, …")
    tenant: str | None = Field(description="Whom it concerned, by the name at that time; null for all tenants.")
    actor: str = Field(
        description="`key <id>`, or `user@host` of a command. `operator` to a tenant where an operator made the change."
    )
    address: str | None = Field(description="Where the request came from; null for a command and for an operator.")
    before: dict[str, Any] = Field(description="What was changed, as it was before; empty for what is new.")
    after: dict[str, Any]


class AuditPage(BaseModel):
    entries: list[AuditEntryBody]
    next_cursor: str | None = Field(description="Give it as `cursor` for the next page; null on the last one.")


def audit_page(records: list[AuditRecord], limit: int, seen_by: int | None) -> AuditPage:
    """Returns a page of at most `limit` entries.

    `seen_by` is the id of the tenant that reads it, None for an operator. Tenants do not see the names and addresses of
    operators.
    """
    return AuditPage(
        entries=[_body(record, seen_by is not None and record.actor_tenant_id != seen_by) for record in records],
        next_cursor=str(records[-1].id) if len(records) == limit else None,
    )


def _body(record: AuditRecord, by_operator: bool) -> AuditEntryBody:
    return AuditEntryBody(
        id=str(record.id),
        at=format_time(record.at_ns),
        action=record.action,
        tenant=record.tenant,
        actor="operator" if by_operator else record.actor,
        address=None if by_operator else record.address,
        before=dict(record.before),
        after=dict(record.after),
    )
