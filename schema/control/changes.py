"""Transactions for all changes to tenants, keys, limits, retention, rules, redactions, views, dashboards and alert
rules. Each change must be written to the audit log."""

import getpass
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Self

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from kit.clock import Clock
from kit.errors import Internal, Unauthenticated
from schema.control.models import ApiKey, AuditEntry, ControlRevision

Shown = Mapping[str, object]
"""Fields before or after a change, for the audit log: JSON values, and never a secret."""

NOTHING: Final[Shown] = {}
ACTOR_CHARACTERS: Final = 255


@dataclass(frozen=True, slots=True)
class Actor:
    """Author of a change: a key (`key <id>`) of a tenant from an address, or a user of a machine (`user@host`)."""

    name: str
    tenant_id: int | None = None
    address: str | None = None
    key_id: str | None = None

    @classmethod
    def of_key(cls, key_id: str, tenant_id: int, address: str) -> Self:
        return cls(f"key {key_id}", tenant_id, address, key_id)


def this_user() -> Actor:
    """Returns the user that runs this process, as `user@host`: the author of changes by commands."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # In a container, the user id may have no name.
        user = "unknown"
    return Actor(f"{user}@{socket.gethostname()}"[:ACTOR_CHARACTERS])


@dataclass(slots=True)
class Change:
    """A transaction that changes the control plane. Made by `changing`."""

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
        """Writes an entry of the audit log. `tenant` is the id and name of the tenant concerned, None if the change
        concerns all."""
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
                before=_stored(before),
                after=_stored(after),
            )
        )


def _stored(shown: Shown) -> str:
    """Returns the JSON of values. It escapes characters outside of ASCII only if UTF-8 does not have them, because the
    escapes of other characters take up to three times as many bytes."""
    text = json.dumps(shown, separators=(",", ":"), ensure_ascii=False)
    return text if _is_utf8(text) else json.dumps(shown, separators=(",", ":"))


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # A lone surrogate.
        return False
    return True


COUNT_CHANGE: Final = (
    update(ControlRevision).values(number=ControlRevision.number + 1).returning(ControlRevision.number)
)
"""Statement that counts a change and locks further ones out until the end of the transaction (`lock_changes`)."""


async def lock_changes(connection: AsyncConnection) -> int | None:
    """Waits for the end of other changes, and locks further ones out until the end of the transaction. Returns the new
    number of changes.

    It must come before the other statements of a change, so that concurrent changes wait for each other here and
    nowhere else.
    """
    return await connection.scalar(COUNT_CHANGE)


@asynccontextmanager
async def changing(engine: AsyncEngine, clock: Clock, actor: Actor) -> AsyncIterator[Change]:
    """Yields a transaction for changes. Concurrent transactions run one after the other.

    Raises Internal, and changes nothing, if a change to tenants, keys, limits or rules was not written to the audit
    log. Changes to saved views, dashboards and alert rules count no revision, so that a missing entry for them is not
    noticed. Raises Unauthenticated if the actor is a key that was revoked meanwhile.
    """
    async with engine.begin() as connection:
        number = await lock_changes(connection)
        await _require_key(connection, actor)
        change = Change(connection, actor, clock.now_ns())
        yield change
        if not change.noted and await connection.scalar(select(ControlRevision.number)) != number:
            raise Internal("a change of the control plane could not be written to the audit log, and was not made")


async def _require_key(connection: AsyncConnection, actor: Actor) -> None:
    """Raises Unauthenticated if the actor's key was revoked. Processes know that only after some seconds, in which the
    key could create another one, or change a new tenant that has the name of its deleted one."""
    if actor.key_id is None:
        return
    valid = select(ApiKey.id).where(
        ApiKey.id == actor.key_id, ApiKey.tenant_id == actor.tenant_id, ApiKey.revoked_at_ns.is_(None)
    )
    if await connection.scalar(valid) is None:
        raise Unauthenticated("the key is unknown or was revoked, so nothing was changed: use another key")
