"""Checks what an admin key may do and see. Routes check only that the key is an admin key.

An operator's key may do everything. A tenant's key may manage only its own tenant.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.service import AuditRecord, AuditService
from backend.caller import OPERATOR, Caller
from backend.policies.redaction_repository import RedactionInfo
from backend.policies.redactions import RedactionService
from backend.policies.repository import RuleInfo
from backend.policies.service import PolicyService, RuleChange
from backend.tenants.changes import TenantChanges
from backend.tenants.erasures import ErasureService
from backend.tenants.key_repository import KeyInfo, unknown_key
from backend.tenants.keys import KeyService
from backend.tenants.repository import TenantInfo, unknown_tenant
from backend.tenants.service import TenantService
from backend.tenants.storage import ShownStorage, StorageService
from kit.clock import Clock
from kit.errors import Forbidden
from schema.attribute_rules import Action
from schema.control.erasures import Erasure
from schema.control.keys import NewKey
from schema.control.limits import Limits
from schema.control.models import Purpose


class AdminService:
    """Admin actions. The first argument of each method names the key that makes the request.

    A tenant's admin key gets NotFound for other tenants, so that it cannot find out their names.
    """

    def __init__(self, engine: AsyncEngine, clock: Clock, defaults: Limits, stores: Sequence[str]) -> None:
        """`defaults` are the limits of tenants without limits of their own. `stores` are consumer groups of loaders,
        whose erasures are shown even if none has started."""
        self._engine = engine
        self._clock = clock
        self._defaults = defaults
        self._erasures = ErasureService(engine, stores)
        self._audit = AuditService(engine)
        self._storage = StorageService(engine)

    # The services that change something exist only for a caller, so that every entry of the audit log names its key.

    def _tenants(self, caller: Caller) -> TenantService:
        return TenantService(self._engine, self._clock, caller.actor, self._defaults)

    def _keys(self, caller: Caller) -> KeyService:
        return KeyService(self._engine, self._clock, caller.actor)

    def _policies(self, caller: Caller) -> PolicyService:
        return PolicyService(self._engine, self._clock, caller.actor)

    def _redactions(self, caller: Caller) -> RedactionService:
        return RedactionService(self._engine, self._clock, caller.actor)

    async def create_tenant(
        self, caller: Caller, name: str, retention_days: int, body_max_bytes: int, lane: int | None
    ) -> TenantInfo:
        """Creates a tenant.

        Raises Forbidden unless the caller is an operator, and what TenantService.create_tenant raises.
        """
        _require_operator(caller)
        return await self._tenants(caller).create_tenant(name, retention_days, body_max_bytes, lane)

    async def list_tenants(self, caller: Caller) -> list[TenantInfo]:
        """Returns the tenants that the key may see, ordered by name. Raises NotFound if the key's tenant was
        deleted."""
        if caller.is_operator:
            return await self._tenants(caller).tenants()
        return [await self.tenant(caller, caller.tenant.name)]

    async def tenant(self, caller: Caller, name: str) -> TenantInfo:
        """Returns one tenant. Raises NotFound."""
        async with self._reading(caller, name):
            return await self._tenants(caller).tenant(name)

    async def change_tenant(self, caller: Caller, name: str, changes: TenantChanges) -> TenantInfo:
        """Changes a tenant's retention or limits. Only operators may, because these values protect the installation.

        Raises NotFound, Forbidden unless the caller is an operator, InvalidRequest for a number out of range.
        """
        _require_visible(caller, name)
        _require_operator(caller)
        return await self._tenants(caller).change_tenant(name, changes)

    async def delete_tenant(self, caller: Caller, name: str) -> None:
        """Deletes a tenant.

        Raises NotFound. Raises Forbidden unless the caller is an operator, and for the operator tenant itself.
        """
        _require_visible(caller, name)
        _require_operator(caller)
        if name == OPERATOR:
            raise Forbidden(
                f"tenant {OPERATOR} cannot be deleted over the API, because nobody could then manage the installation "
                f"over it: `logsieve tenant delete {OPERATOR}` deletes it"
            )
        await self._tenants(caller).delete_tenant(name)

    async def create_key(
        self, caller: Caller, name: str, purpose: Purpose, label: str, expires_at_ns: int | None
    ) -> NewKey:
        """Creates a key. Raises NotFound, and InvalidRequest for an expiry in the past and for too many keys."""
        _require_visible(caller, name)
        return await self._keys(caller).create_key(name, purpose, label, expires_at_ns)

    async def keys(self, caller: Caller, name: str) -> list[KeyInfo]:
        """Returns a tenant's keys. Raises NotFound."""
        async with self._reading(caller, name):
            return await self._keys(caller).keys(name)

    async def revoke_key(self, caller: Caller, name: str, key_id: str) -> None:
        """Revokes a key. Raises NotFound, also for a key that belongs to another tenant than `name`."""
        await self._require_key(caller, name, key_id)
        await self._keys(caller).revoke_key(key_id)

    async def label_key(self, caller: Caller, name: str, key_id: str, label: str) -> KeyInfo:
        """Changes the label of a key and returns the key.

        Raises NotFound, also for a key that belongs to another tenant than `name`.
        """
        key = await self._require_key(caller, name, key_id)
        await self._keys(caller).label_key(key_id, label)
        return replace(key, label=label)

    async def _require_key(self, caller: Caller, name: str, key_id: str) -> KeyInfo:
        """Returns a key of the tenant `name`. Raises NotFound."""
        for key in await self.keys(caller, name):
            if key.id == key_id:
                return key
        raise unknown_key(key_id)

    async def rules(self, caller: Caller, name: str) -> list[RuleInfo]:
        """Returns the attribute rules that apply to the tenant, the installation's first. Raises NotFound."""
        async with self._reading(caller, name):
            return await self._policies(caller).rules(name)

    async def set_rule(self, caller: Caller, name: str, attribute: str, is_prefix: bool, action: Action) -> RuleChange:
        """Adds a rule to the tenant's own rules, or changes its action. Rules of the installation stay unchanged.

        Raises NotFound, InvalidRequest for an invalid attribute name and for too many rules.
        """
        _require_visible(caller, name)
        return await self._policies(caller).add(name, attribute, is_prefix, action)

    async def add_recommended_rules(self, caller: Caller, name: str) -> int:
        """Adds the recommended rules to the tenant's own. Returns how many were added. Raises NotFound."""
        _require_visible(caller, name)
        return await self._policies(caller).add_recommended(name)

    async def remove_rule(self, caller: Caller, name: str, attribute: str, is_prefix: bool) -> None:
        """Removes one of the tenant's own rules. Raises NotFound, also for a rule of the installation."""
        _require_visible(caller, name)
        await self._policies(caller).remove(name, attribute, is_prefix)

    async def redactions(self, caller: Caller, name: str) -> list[RedactionInfo]:
        """Returns the redactions that apply to the tenant's bodies, the installation's first. Raises NotFound."""
        async with self._reading(caller, name):
            return await self._redactions(caller).redactions(name)

    async def set_redaction(self, caller: Caller, name: str, redaction: str, expression: str | None) -> None:
        """Adds a redaction to the tenant's own, or replaces it. Redactions of the installation stay unchanged.

        Raises NotFound, InvalidRequest for an invalid name or expression and for too many redactions.
        """
        _require_visible(caller, name)
        await self._redactions(caller).add(name, redaction, expression)

    async def remove_redaction(self, caller: Caller, name: str, redaction: str) -> None:
        """Removes one of the tenant's own redactions. Raises NotFound, also for a redaction of the installation."""
        _require_visible(caller, name)
        await self._redactions(caller).remove(name, redaction)

    async def erasures(self, caller: Caller, name: str | None) -> list[Erasure]:
        """Returns the progress of erasing deleted tenants.

        Raises NotFound, and Forbidden unless the caller is an operator.
        """
        _require_operator(caller)
        return await self._erasures.erasures(name)

    async def audit(
        self, caller: Caller, name: str | None, *, since_ns: int, below: int | None, limit: int
    ) -> list[AuditRecord]:
        """Returns entries of the audit log. Operators get the entries of all tenants, or of the tenant `name`. Other
        callers get only the entries of their own tenant, without names and addresses of operators. Raises NotFound if
        `name` is another tenant."""
        if name is not None:
            _require_visible(caller, name)
        if caller.is_operator:
            return await self._audit.of_all(name, since_ns=since_ns, below=below, limit=limit)
        own = caller.tenant.id
        records = await self._audit.of_tenant(own, since_ns=since_ns, below=below, limit=limit)
        return [
            each if each.actor_tenant_id == own else replace(each, actor="operator", address=None) for each in records
        ]

    async def storage(self, caller: Caller) -> ShownStorage:
        """Returns the report on disks. Operators get all tenants and the servers' volumes. Other callers get only their
        own tenant."""
        return await (self._storage.storage() if caller.is_operator else self._storage.storage_of(caller.tenant.id))

    @asynccontextmanager
    async def _reading(self, caller: Caller, name: str) -> AsyncIterator[None]:
        """Lets the block read the tenant `name`. Raises NotFound if the caller may not see it.

        A process may learn only after some seconds that the caller's tenant was deleted. By then, a new tenant may have
        the name, so the ids of both tenants are compared too. They are compared after the block, because the name may
        pass to the new tenant while the block runs, but never back. Changes need no such comparison, because `changing`
        refuses revoked keys.
        """
        _require_visible(caller, name)
        yield
        if not caller.is_operator and (await self._tenants(caller).tenant(name)).id != caller.tenant.id:
            raise unknown_tenant(name)


def _require_operator(caller: Caller) -> None:
    if not caller.is_operator:
        raise Forbidden(
            f"this needs an admin key of tenant {OPERATOR}; create one with `logsieve key create {OPERATOR} admin`"
        )


def _require_visible(caller: Caller, name: str) -> None:
    if not caller.is_operator and caller.tenant.name != name:
        raise unknown_tenant(name)
