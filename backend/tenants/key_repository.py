"""Reads and writes the control plane's rows of keys. Holds a connection and never commits."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from kit.errors import NotFound
from schema.control.keys import NewKey
from schema.control.models import ApiKey, ApiKeyUse, Purpose, TenantRow

KEPT_ENDED: Final = 1_000
"""Number of revoked and expired keys of a tenant that are kept and listed."""


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """A key without its text."""

    id: str
    tenant: str
    purpose: Purpose
    label: str
    created_at_ns: int
    revoked_at_ns: int | None
    expires_at_ns: int | None = None
    last_used_at_ns: int | None = None


@dataclass(frozen=True, slots=True)
class KeyTerms:
    """Purpose and label of a new key, and the time until which it works; None for ever."""

    purpose: Purpose
    label: str
    expires_at_ns: int | None


class KeyRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add_key(self, tenant_id: int, key: NewKey, terms: KeyTerms, now_ns: int) -> None:
        await self._connection.execute(
            insert(ApiKey).values(
                id=key.id,
                tenant_id=tenant_id,
                purpose=terms.purpose,
                sha256=key.sha256,
                label=terms.label,
                created_at_ns=now_ns,
                expires_at_ns=terms.expires_at_ns,
            )
        )

    async def forget_ended_keys(self, tenant_id: int, now_ns: int) -> None:
        """Removes all but the KEPT_ENDED keys of the tenant that were revoked or expired last. The audit log still has
        them."""
        ended = ApiKey.revoked_at_ns.is_not(None) | (ApiKey.expires_at_ns <= now_ns)
        last = func.coalesce(ApiKey.revoked_at_ns, ApiKey.expires_at_ns).desc(), ApiKey.id
        old = select(ApiKey.id).where(ApiKey.tenant_id == tenant_id, ended).order_by(*last).offset(KEPT_ENDED)
        await self._connection.execute(delete(ApiKeyUse).where(ApiKeyUse.key_id.in_(old)))
        await self._connection.execute(delete(ApiKey).where(ApiKey.id.in_(old)))

    async def live_keys(self, tenant_id: int, now_ns: int) -> int:
        """Counts the tenant's keys that are neither revoked nor expired."""
        live = ApiKey.revoked_at_ns.is_(None) & (ApiKey.expires_at_ns.is_(None) | (ApiKey.expires_at_ns > now_ns))
        query = select(func.count()).select_from(ApiKey).where(ApiKey.tenant_id == tenant_id, live)
        return await self._connection.scalar(query) or 0

    async def tenant_of_key(self, key_id: str) -> tuple[int, str]:
        """Returns the id and name of the tenant that a key belongs to. Raises NotFound for an unknown key."""
        query = (
            select(TenantRow.id, TenantRow.name)
            .join(ApiKey, ApiKey.tenant_id == TenantRow.id)
            .where(ApiKey.id == key_id)
        )
        row = (await self._connection.execute(query)).one_or_none()
        if row is None:
            raise unknown_key(key_id)
        return row.id, row.name

    async def keys(self, tenant: str | None) -> list[KeyInfo]:
        """Returns the keys of one tenant or of all, oldest first."""
        query = (
            select(
                ApiKey.id,
                TenantRow.name,
                ApiKey.purpose,
                ApiKey.label,
                ApiKey.created_at_ns,
                ApiKey.revoked_at_ns,
                ApiKey.expires_at_ns,
                ApiKeyUse.used_at_ns,
            )
            .join(TenantRow, (TenantRow.id == ApiKey.tenant_id) & TenantRow.deleted_at_ns.is_(None))
            .join(ApiKeyUse, ApiKeyUse.key_id == ApiKey.id, isouter=True)
            # Keys with a purpose that only a newer release knows are left out.
            .where(ApiKey.purpose.in_([*Purpose]))
        )
        if tenant is not None:
            query = query.where(TenantRow.name == tenant)
        rows = await self._connection.execute(query.order_by(ApiKey.created_at_ns, ApiKey.id))
        return [
            KeyInfo(
                id=row.id,
                tenant=row.name,
                purpose=Purpose(row.purpose),
                label=row.label,
                created_at_ns=row.created_at_ns,
                revoked_at_ns=row.revoked_at_ns,
                expires_at_ns=row.expires_at_ns,
                last_used_at_ns=row.used_at_ns,
            )
            for row in rows
        ]

    async def set_label(self, key_id: str, label: str) -> str | None:
        """Sets the label of an existing key. Returns the label that it had before. Returns None, and writes nothing, if
        the key has this label."""
        before = (await self._connection.scalars(select(ApiKey.label).where(ApiKey.id == key_id))).one()
        if before == label:
            return None
        await self._connection.execute(update(ApiKey).where(ApiKey.id == key_id).values(label=label))
        return before

    async def revoke_key(self, key_id: str, now_ns: int) -> bool:
        """Revokes a key.

        Returns false if it was revoked before or is unknown; the time of the first revocation stays.
        """
        revoked = await self._connection.execute(
            update(ApiKey).where(ApiKey.id == key_id, ApiKey.revoked_at_ns.is_(None)).values(revoked_at_ns=now_ns)
        )
        return revoked.rowcount > 0


def unknown_key(key_id: str) -> NotFound:
    """Returns the error for the id of a key that does not exist, or that the caller may not see."""
    return NotFound(f"there is no key {key_id!r}; `logsieve key list` shows all")
