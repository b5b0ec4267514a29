"""Who asks with an admin key."""

from dataclasses import dataclass

from schema.control.changes import Actor
from schema.control.directory import Tenant


@dataclass(frozen=True, slots=True)
class Asker:
    """The tenant of an admin key, and who its changes are noted to be made by."""

    tenant: Tenant
    actor: Actor
