"""Changes and lists redactions of bodies, each call in one transaction. Receivers apply changes within 5 s."""

import re
from typing import Final

from backend.audited_service import AuditedService
from backend.policies.owner import audited, owner_id
from backend.policies.redaction_repository import RedactionInfo, RedactionRepository
from kit.errors import InvalidRequest, NotFound
from schema.redactions import BUILT_IN, EXPRESSION_CHARACTERS, Redaction, redactor_of

MAX_REDACTIONS: Final = 20
"""Largest number of redactions of the installation, and of each tenant."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}", re.ASCII)


class RedactionService(AuditedService):
    """Changes and lists redactions.

    `tenant` is the name of the owner, or None for the installation and so all tenants.
    """

    async def redactions(self, tenant: str | None) -> list[RedactionInfo]:
        """Returns all redactions, or those that apply to `tenant`. Raises NotFound for an unknown tenant."""
        async with self._engine.connect() as connection:
            return await RedactionRepository(connection).redactions(await owner_id(connection, tenant))

    async def add(self, tenant: str | None, name: str, expression: str | None) -> None:
        """Adds a redaction, or replaces the one of this name.

        Raises InvalidRequest for an invalid name or expression and for too many redactions, NotFound for an unknown
        tenant.
        """
        redaction = checked(name, expression)
        async with self._changing() as change:
            repository = RedactionRepository(change.connection)
            owner = await owner_id(change.connection, tenant)
            before = await repository.find(owner, name)
            if before == redaction:
                return
            await change.note("policy.redact", audited(owner, tenant), _shown(before), _shown(redaction))
            await repository.remove(owner, name)
            if await repository.count(owner) >= MAX_REDACTIONS:
                raise InvalidRequest(
                    f"{'the installation' if owner is None else 'the tenant'} would have more than {MAX_REDACTIONS} "
                    "redactions, the largest number allowed: remove one, or join expressions by |"
                )
            await repository.add(owner, redaction, change.now_ns)

    async def remove(self, tenant: str | None, name: str) -> None:
        """Removes a redaction. Text that it redacted is lost. Raises NotFound for an unknown redaction or tenant."""
        async with self._changing() as change:
            repository = RedactionRepository(change.connection)
            owner = await owner_id(change.connection, tenant)
            # PostgreSQL refuses the character NUL, which is in no name.
            before = await repository.find(owner, name) if _NAME.fullmatch(name) else None
            if before is None:
                where = "the installation" if tenant is None else f"tenant {tenant!r}"
                raise NotFound(f"{where} has no redaction {name!r}; `logsieve policy redactions` shows all")
            await repository.remove(owner, name)
            await change.note("policy.keep", audited(owner, tenant), _shown(before))


def checked(name: str, expression: str | None) -> Redaction:
    """Returns the redaction after compiling its expression. Raises InvalidRequest for an invalid name or expression."""
    if _NAME.fullmatch(name) is None:
        raise InvalidRequest(
            f"{name!r} cannot be a redaction's name: use 1 to 63 lower-case letters, digits, - and _, a letter or "
            "digit first"
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


def _shown(redaction: Redaction | None) -> dict[str, object]:
    return {} if redaction is None else {"name": redaction.name, "expression": redaction.expression}
