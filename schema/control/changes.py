"""The one way in which tenants, keys, limits, retention and rules are changed: counted, and noted in the audit log."""

import getpass
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from kit.clock import Clock
from kit.errors import Internal
from schema.control.models import AuditEntry, ControlRevision

Shown = Mapping[str, object]
"""Fields before or after a change, for the audit log: values that JSON has, and never a secret."""

NOTHING: Final[Shown] = {}
ACTOR_CHARACTERS: Final = 255


@dataclass(frozen=True, slots=True)
class Actor:
    """Author of a change: a key (`key <id>`) of a tenant from an address, or a user of a machine (`user@host`)."""

    name: str
    tenant_id: int | None = None
    address: str | None = None


def this_user() -> Actor:
    """Returns the user that runs this process, as `user@host`: who changes something by a command."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # A container may run under a number that has no name.
        user = "unknown"
    return Actor(f"{user}@{socket.gethostname()}"[:ACTOR_CHARACTERS])


@dataclass(slots=True)
class Change:
    """A transaction in which the control plane is changed. `changing` makes it."""

    connection: AsyncConnection
    actor: Actor
    now_ns: int
    noted: bool = False

    async def note(
        self,
        action: str,
        tenant: tuple[int, str] | None,
        before: Shown = NOTHING,
        after: Shown = NOTHING,
    ) -> None:
        """Writes an entry of the audit log. `tenant` is the id and name of the tenant concerned, None for all."""
        self.noted = True
        await self.connection.execute(
            insert(AuditEntry).values(
                at_ns=self.now_ns,
                action=action,
                tenant_id=None if tenant is None else tenant[0],
                tenant=None if tenant is None else tenant[1],
                actor=self.actor.name,
                actor_tenant_id=self.actor.tenant_id,
                address=self.actor.address,
                before=json.dumps(before, separators=(",", ":")),
                after=json.dumps(after, separators=(",", ":")),
            )
        )


@asynccontextmanager
async def changing(engine: AsyncEngine, clock: Clock, actor: Actor) -> AsyncIterator[Change]:
    """Yields a transaction for changes. Several transactions wait for each other.

    Raises Internal, and changes nothing, if a change was not noted in the audit log.
    """
    async with engine.begin() as connection:
        # First of all, so that two changes wait for each other here and nowhere else.
        counted = update(ControlRevision).values(number=ControlRevision.number + 1).returning(ControlRevision.number)
        number = await connection.scalar(counted)
        change = Change(connection, actor, clock.now_ns())
        yield change
        if not change.noted and await connection.scalar(select(ControlRevision.number)) != number:
            raise Internal("a change of the control plane could not be written to the audit log, and was not made")
