"""Changes and lists redactions of bodies, each call in one transaction. Receivers apply changes within 5 s."""

import re
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from backend.policies.owner import audited, owner_id
from kit.clock import Clock
from kit.errors import InvalidRequest, NotFound
from schema.control.changes import Actor, changing, this_user
from schema.control.models import BodyRedaction, TenantRow
from schema.redactions import BUILT_IN, EXPRESSION_CHARACTERS, Redaction, redactor_of

MAX_REDACTIONS: Final = 20
"""Largest number of redactions of the installation, and of each tenant."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RedactionInfo:
    """A stored redaction. `tenant` is None for the installation's; `expression` is None for a built-in one."""

    tenant: str | None
    name: str
    expression: str | None
    created_at_ns: int


class RedactionService:
    """Changes and lists redactions.

    `tenant` is the name of the owner, or None for the installation and so all tenants.
    """

    def __init__(self, engine: AsyncEngine, clock: Clock, actor: Actor | None = None) -> None:
        """`actor` is the author of changes; by default the user of this process."""
        self._engine = engine
        self._clock = clock
        self._actor = this_user() if actor is None else actor

    async def redactions(self, tenant: str | None) -> list[RedactionInfo]:
        """Returns all redactions, or those that apply to `tenant`. Raises NotFound for an unknown tenant."""
        query = (
            select(TenantRow.name, BodyRedaction.name, BodyRedaction.expression, BodyRedaction.created_at_ns)
            .join(TenantRow, TenantRow.id == BodyRedaction.tenant_id, isouter=True)
            .order_by(BodyRedaction.tenant_id.is_not(None), TenantRow.name, BodyRedaction.name)
        )
        async with self._engine.connect() as connection:
            owner = await owner_id(connection, tenant)
            if owner is not None:
                query = query.where(_owned_by(None) | _owned_by(owner))
            return [RedactionInfo(*row) for row in await connection.execute(query)]

    async def add(self, tenant: str | None, name: str, expression: str | None) -> None:
        """Adds a redaction, or replaces the one of this name.

        Raises InvalidRequest for an invalid name or expression, NotFound for an unknown tenant.
        """
        redaction = checked(name, expression)
        async with changing(self._engine, self._clock, self._actor) as change:
            connection = change.connection
            owner = await owner_id(connection, tenant)
            before, after = await _stored(connection, owner, name), {"name": name, "expression": expression}
            if before == after:
                return
            await change.note("policy.redact", audited(owner, tenant), before, after)
            await connection.execute(delete(BodyRedaction).where(*_same(owner, name)))
            others = await connection.scalars(select(BodyRedaction.id).where(_owned_by(owner)))
            if len(others.all()) >= MAX_REDACTIONS:
                raise InvalidRequest(
                    f"{'the installation' if owner is None else 'the tenant'} would have more than {MAX_REDACTIONS} "
                    "redactions, the largest number allowed: remove one, or join expressions by |"
                )
            await connection.execute(
                insert(BodyRedaction).values(
                    tenant_id=owner,
                    name=redaction.name,
                    expression=redaction.expression,
                    created_at_ns=self._clock.now_ns(),
                )
            )

    async def remove(self, tenant: str | None, name: str) -> None:
        """Removes a redaction. Text that it redacted is lost. Raises NotFound for an unknown redaction or tenant."""
        async with changing(self._engine, self._clock, self._actor) as change:
            connection = change.connection
            owner = await owner_id(connection, tenant)
            where = "the installation" if tenant is None else f"tenant {tenant!r}"
            unknown = NotFound(f"{where} has no redaction {name!r}; `logsieve policy redactions` shows all")
            if _NAME.fullmatch(name) is None:  # PostgreSQL refuses the character NUL.
                raise unknown
            await change.note("policy.keep", audited(owner, tenant), await _stored(connection, owner, name))
            removed = await connection.execute(delete(BodyRedaction).where(*_same(owner, name)))
            if not removed.rowcount:
                raise unknown


def checked(name: str, expression: str | None) -> Redaction:
    """Returns the redaction after compiling its expression. Raises InvalidRequest for an invalid name or expression."""
    if _NAME.fullmatch(name) is None:
        raise InvalidRequest(
            f"{name!r} cannot be a redaction's name: use 1 to 63 lower-case letters, digits, - and _, a letter or "
            "digit "
            "first"
        )
    if expression is None and name not in BUILT_IN:
        raise InvalidRequest(f"{name!r} is not built in: give an expression, or one of {', '.join(BUILT_IN)}")
    if expression is not None and name in BUILT_IN:
        raise InvalidRequest(f"{name!r} is built in and takes no expression; give yours another name")
    if expression is not None and not 0 < len(expression) <= EXPRESSION_CHARACTERS:
        raise InvalidRequest(
            f"an expression may have 1 to {EXPRESSION_CHARACTERS} characters, but this one has {len(expression)}"
        )
    if expression is not None and "\0" in expression:
        raise InvalidRequest("the expression contains a NUL character: write it as \\x00")
    redaction = Redaction(name, expression)
    try:
        redactor_of([redaction])
    except ValueError as error:
        raise InvalidRequest(f"the expression cannot be used: {error}") from None
    return redaction


async def _stored(connection: AsyncConnection, owner: int | None, name: str) -> dict[str, object]:
    """Returns the stored redaction for the audit log; empty if there is none."""
    stored = (await connection.execute(select(BodyRedaction.expression).where(*_same(owner, name)))).first()
    return {} if stored is None else {"name": name, "expression": stored.expression}


def _owned_by(tenant_id: int | None) -> ColumnElement[bool]:
    return BodyRedaction.tenant_id.is_(None) if tenant_id is None else BodyRedaction.tenant_id == tenant_id


def _same(tenant_id: int | None, name: str) -> tuple[ColumnElement[bool], ...]:
    return _owned_by(tenant_id), BodyRedaction.name == name
