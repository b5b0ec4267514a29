"""Describes the owner of the key that makes a request."""

from dataclasses import dataclass

from schema.control.changes import Actor
from schema.control.directory import Tenant


@dataclass(frozen=True, slots=True)
class Caller:
    """The tenant of a key, and the actor that the audit log names for its changes."""

    tenant: Tenant
    actor: Actor

    @property
    def owner(self) -> tuple[int, str]:
        """Number and name of the tenant, as entries of the audit log keep them."""
        return self.tenant.id, self.tenant.name
