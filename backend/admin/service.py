"""What an admin key may do: an operator's everything, a tenant's only what is the tenant's own."""

from typing import Final

from backend.asker import Asker
from backend.audit.service import AuditRecord, AuditService
from backend.policies.redactions import RedactionInfo, RedactionService
from backend.policies.repository import RuleInfo
from backend.policies.service import PolicyService, RuleChange
from backend.tenants.erasures import ErasureService
from backend.tenants.repository import KeyInfo, TenantInfo
from backend.tenants.service import TenantChanges, TenantService
from kit.errors import Forbidden, NotFound
from schema.attribute_rules import Action
from schema.control.erasures import Erasure
from schema.control.keys import NewKey
from schema.control.models import Purpose

OPERATOR: Final = "_operator"
"""The tenant whose admin keys manage the whole installation. `logsieve tenant create _operator` makes it."""


class AdminService:
    """Each call names the tenant whose admin key asks.

    To a tenant's admin key every other tenant is one that is not there, so that nobody learns names by asking.
    """

    def __init__(
        self,
        tenants: TenantService,
        policies: PolicyService,
        redactions: RedactionService,
        erasures: ErasureService,
        audit: AuditService,
    ) -> None:
        self._tenants = tenants
        self._policies = policies
        self._redactions = redactions
        self._erasures = erasures
        self._audit = audit

    async def create_tenant(
        self, asker: Asker, name: str, retention_days: int, body_max_bytes: int, lane: int | None
    ) -> TenantInfo:
        """Raises Forbidden unless an operator asks, and what TenantService.create_tenant raises."""
        _require_operator(asker)
        return await self._tenants.by(asker.actor).create_tenant(name, retention_days, body_max_bytes, lane)

    async def list_tenants(self, asker: Asker) -> list[TenantInfo]:
        """Those the asker may see, by name."""
        return [each for each in await self._tenants.tenants() if asker.tenant.name in (OPERATOR, each.name)]

    async def tenant(self, asker: Asker, name: str) -> TenantInfo:
        """Raises NotFound."""
        _require_sight(asker, name)
        return await self._tenants.tenant(name)

    async def change_tenant(self, asker: Asker, name: str, changes: TenantChanges) -> TenantInfo:
        """Limits and retention protect the installation, so a tenant cannot change its own.

        Raises NotFound, Forbidden unless an operator asks, InvalidRequest for a number out of range.
        """
        _require_sight(asker, name)
        _require_operator(asker)
        return await self._tenants.by(asker.actor).change_tenant(name, changes)

    async def delete_tenant(self, asker: Asker, name: str) -> None:
        """Raises NotFound, Forbidden unless an operator asks, and for the operator's own tenant."""
        _require_sight(asker, name)
        _require_operator(asker)
        if name == OPERATOR:
            raise Forbidden("an operator's key cannot delete the tenant it belongs to")
        await self._tenants.by(asker.actor).delete_tenant(name)

    async def create_key(
        self, asker: Asker, name: str, purpose: Purpose, label: str, expires_at_ns: int | None
    ) -> NewKey:
        """Raises NotFound, InvalidRequest for an end that is past and for too many keys."""
        _require_sight(asker, name)
        return await self._tenants.by(asker.actor).create_key(name, purpose, label, expires_at_ns)

    async def keys(self, asker: Asker, name: str) -> list[KeyInfo]:
        """Raises NotFound."""
        _require_sight(asker, name)
        return await self._tenants.keys(name)

    async def revoke_key(self, asker: Asker, name: str, key_id: str) -> None:
        """Raises NotFound, also for a key of another tenant than `name`."""
        _require_sight(asker, name)
        if key_id not in {key.id for key in await self._tenants.keys(name)}:
            raise NotFound(f"there is no key {key_id!r}")
        await self._tenants.by(asker.actor).revoke_key(key_id)

    async def rules(self, asker: Asker, name: str) -> list[RuleInfo]:
        """Returns the attribute rules that hold for the tenant, the installation's first. Raises NotFound."""
        _require_sight(asker, name)
        return await self._policies.rules(name)

    async def set_rule(self, asker: Asker, name: str, attribute: str, is_prefix: bool, action: Action) -> RuleChange:
        """Adds a rule to the tenant's own, or changes its action. Rules of the installation stay as they are.

        Raises NotFound, InvalidRequest for an attribute that cannot be one and for too many rules.
        """
        _require_sight(asker, name)
        return await self._policies.by(asker.actor).add(name, attribute, is_prefix, action)

    async def add_recommended_rules(self, asker: Asker, name: str) -> int:
        """Adds the recommended rules to the tenant's own, and returns how many were missing. Raises NotFound."""
        _require_sight(asker, name)
        return await self._policies.by(asker.actor).add_recommended(name)

    async def remove_rule(self, asker: Asker, name: str, attribute: str, is_prefix: bool) -> None:
        """Removes one of the tenant's own rules. Raises NotFound, also for a rule of the installation."""
        _require_sight(asker, name)
        await self._policies.by(asker.actor).remove(name, attribute, is_prefix)

    async def redactions(self, asker: Asker, name: str) -> list[RedactionInfo]:
        """Returns what is redacted in the tenant's bodies, the installation's redactions first. Raises NotFound."""
        _require_sight(asker, name)
        return await self._redactions.redactions(name)

    async def set_redaction(self, asker: Asker, name: str, redaction: str, expression: str | None) -> None:
        """Adds a redaction to the tenant's own, or replaces it. Those of the installation stay as they are.

        Raises NotFound, InvalidRequest for a name or expression that cannot be one and for too many redactions.
        """
        _require_sight(asker, name)
        await self._redactions.by(asker.actor).add(name, redaction, expression)

    async def remove_redaction(self, asker: Asker, name: str, redaction: str) -> None:
        """Removes one of the tenant's own redactions. Raises NotFound, also for one of the installation."""
        _require_sight(asker, name)
        await self._redactions.by(asker.actor).remove(name, redaction)

    async def erasures(self, asker: Asker, name: str | None) -> list[Erasure]:
        """Returns how far deleted tenants are erased. Raises Forbidden unless an operator asks, NotFound."""
        _require_operator(asker)
        return await self._erasures.erasures(name)

    async def audit(
        self, asker: Asker, name: str | None, *, since_ns: int, below: int | None, limit: int
    ) -> list[AuditRecord]:
        """Returns entries of the audit log: an operator's of all tenants or of one, else the own tenant's."""
        if asker.tenant.name == OPERATOR:
            return await self._audit.of_all(name, since_ns=since_ns, below=below, limit=limit)
        return await self._audit.of_tenant(asker.tenant.id, since_ns=since_ns, below=below, limit=limit)


def _require_operator(asker: Asker) -> None:
    if asker.tenant.name != OPERATOR:
        raise Forbidden(f"only admin keys of the tenant {OPERATOR} may do that")


def _require_sight(asker: Asker, name: str) -> None:
    if asker.tenant.name not in (OPERATOR, name):
        raise NotFound(f"there is no tenant {name!r}")
