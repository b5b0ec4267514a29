"""Creates, lists, labels and revokes keys of tenants, each call in one transaction."""

from typing import Final

from backend.audited_service import AuditedService
from backend.tenants.bounds import check_label
from backend.tenants.key_repository import KeyInfo, KeyRepository, KeyTerms
from backend.tenants.repository import require_tenant
from kit.errors import InvalidRequest
from schema.control.keys import NewKey, make_key
from schema.control.models import Purpose

MAX_KEYS: Final = 100
"""Largest number of keys of one tenant that work at the same time."""


class KeyService(AuditedService):
    """Manages keys."""

    async def create_key(self, tenant: str, purpose: Purpose, label: str, expires_at_ns: int | None = None) -> NewKey:
        """Creates a key that works until `expires_at_ns`, or for ever. Its text cannot be read again.

        Raises NotFound for an unknown tenant, InvalidRequest for an expiry in the past, for more than MAX_KEYS keys
        and for a label that check_label refuses.
        """
        if expires_at_ns is not None and not self._clock.now_ns() < expires_at_ns < 2**63:
            raise InvalidRequest("the key would expire before now or after 2262: give a time between them")
        check_label(label)
        key = make_key(purpose)
        async with self._changing() as change:
            repository = KeyRepository(change.connection)
            tenant_id = await require_tenant(change.connection, tenant)
            if await repository.live_keys(tenant_id, change.now_ns) >= MAX_KEYS:
                raise InvalidRequest(
                    f"tenant {tenant!r} has {MAX_KEYS} valid keys, the largest number allowed: revoke an unused"
                    " one with `logsieve key revoke`, then create the new one"
                )
            await repository.forget_ended_keys(tenant_id, change.now_ns)
            await repository.add_key(tenant_id, key, KeyTerms(purpose, label, expires_at_ns), change.now_ns)
            after = {"key": key.id, "purpose": purpose.value, "label": label, "expires_at_ns": expires_at_ns}
            await change.note("key.create", (tenant_id, tenant), after=after)
        return key

    async def keys(self, tenant: str | None) -> list[KeyInfo]:
        """Returns the keys of one tenant or of all. Raises NotFound for an unknown tenant."""
        async with self._engine.connect() as connection:
            repository = KeyRepository(connection)
            if tenant is not None:
                await require_tenant(connection, tenant)
            return await repository.keys(tenant)

    async def label_key(self, key_id: str, label: str) -> None:
        """Changes the label of a key, also of a revoked one. A label that the key has already is not written again.

        Raises NotFound for an unknown id, InvalidRequest for a label that check_label refuses.
        """
        check_label(label)
        async with self._changing() as change:
            repository = KeyRepository(change.connection)
            tenant = await repository.tenant_of_key(key_id)
            before = await repository.set_label(key_id, label)
            if before is None:
                return
            await change.note("key.label", tenant, {"key": key_id, "label": before}, {"key": key_id, "label": label})

    async def revoke_key(self, key_id: str) -> None:
        """Revokes a key, which stops working within 5 s. Changes nothing if it was revoked before. Raises NotFound for
        an unknown id."""
        async with self._changing() as change:
            repository = KeyRepository(change.connection)
            tenant = await repository.tenant_of_key(key_id)
            if await repository.revoke_key(key_id, change.now_ns):
                before, after = {"key": key_id, "revoked": False}, {"key": key_id, "revoked": True}
                await change.note("key.revoke", tenant, before, after)
