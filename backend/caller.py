"""Describes the owner of the key that makes a request."""

from dataclasses import dataclass
from typing import Final

from schema.control.changes import Actor
from schema.control.directory import Tenant

OPERATOR: Final = "_operator"
"""The tenant whose admin keys manage the whole installation. `logsieve tenant create _operator` makes it."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The tenant of a key, and the actor that the audit log names for its changes."""

    tenant: Tenant
    actor: Actor

    @property
    def is_operator(self) -> bool:
        """True if the key may manage the whole installation."""
        return self.tenant.name == OPERATOR

    @property
    def owner(self) -> tuple[int, str]:
        """Number and name of the tenant, as entries of the audit log keep them."""
        return self.tenant.id, self.tenant.name
