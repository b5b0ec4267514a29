"""What operators do with attribute rules; each call is one transaction. Receivers follow within 5 seconds."""

from contextlib import AbstractAsyncContextManager
from enum import Enum
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from backend.policies.recommended import RECOMMENDED
from backend.policies.repository import RuleInfo, RuleRepository
from backend.tenants.repository import require_tenant
from kit.clock import Clock
from kit.errors import InvalidRequest, NotFound
from schema.attribute_rules import NAME_CHARACTERS, Action, Rule
from schema.control.changes import Actor, Change, changing, this_user

MAX_RULES: Final = 1000
"""Rules of the installation, and of each tenant."""


class RuleChange(Enum):
    """What adding a rule came to."""

    added = "added"
    changed = "changed"
    unchanged = "unchanged"


class PolicyService:
    """A rule belongs to a tenant by its name, or with None to the installation and so to all tenants."""

    def __init__(self, engine: AsyncEngine, clock: Clock, actor: Actor | None = None) -> None:
        """`actor` is who makes changes, the user of this process if left out."""
        self._engine = engine
        self._clock = clock
        self._actor = this_user() if actor is None else actor

    def by(self, actor: Actor) -> "PolicyService":
        """Returns the same service for changes that this actor makes."""
        return PolicyService(self._engine, self._clock, actor)

    def _changing(self) -> AbstractAsyncContextManager[Change]:
        return changing(self._engine, self._clock, self._actor)

    async def rules(self, tenant: str | None) -> list[RuleInfo]:
        """All rules; with a tenant those that hold for it, the installation's among them.

        Raises NotFound for an unknown tenant.
        """
        async with self._engine.connect() as connection:
            repository = RuleRepository(connection)
            await _owner(connection, tenant)
            rules = await repository.rules()
        return [rule for rule in rules if tenant is None or rule.tenant in (None, tenant)]

    async def add(self, tenant: str | None, name: str, is_prefix: bool, action: Action) -> RuleChange:
        """Adds a rule, or gives the rule on this name another action, without a moment in which there is none.

        Raises InvalidRequest for a name that cannot be one or for too many rules, NotFound for an unknown tenant.
        """
        rule = Rule(checked_pattern(name), is_prefix, action)
        async with self._changing() as change:
            repository = RuleRepository(change.connection)
            owner = await _owner(change.connection, tenant)
            before = await repository.action(owner, rule.pattern, is_prefix)
            if before == action:
                return RuleChange.unchanged
            was = {} if before is None else _shown(rule.pattern, is_prefix, before)
            await change.note("policy.set", _concerned(owner, tenant), was, _shown(rule.pattern, is_prefix, action))
            if before is not None:
                await repository.change(owner, rule)
                return RuleChange.changed
            await _add(repository, owner, [rule], change.now_ns)
        return RuleChange.added

    async def add_recommended(self, tenant: str | None) -> int:
        """Adds the recommended rules and says how many; a rule that is there on one of their names stays as it is.

        Raises InvalidRequest for too many rules, NotFound for an unknown tenant.
        """
        async with self._changing() as change:
            repository = RuleRepository(change.connection)
            owner = await _owner(change.connection, tenant)
            missing = [
                rule for rule in RECOMMENDED if await repository.action(owner, rule.pattern, rule.is_prefix) is None
            ]
            await _add(repository, owner, missing, change.now_ns)
            if missing:
                added = [_shown(rule.pattern, rule.is_prefix, rule.action) for rule in missing]
                await change.note("policy.set", _concerned(owner, tenant), after={"rules": added})
        return len(missing)

    async def remove(self, tenant: str | None, name: str, is_prefix: bool) -> None:
        """Raises NotFound where there is no such rule or tenant. What was dropped or masked is gone for good."""
        pattern = checked_pattern(name)
        async with self._changing() as change:
            repository = RuleRepository(change.connection)
            owner = await _owner(change.connection, tenant)
            action = await repository.action(owner, pattern, is_prefix)
            if action is None or not await repository.remove(owner, pattern, is_prefix):
                kind = "prefix" if is_prefix else "name"
                where = "the installation" if tenant is None else f"tenant {tenant!r}"
                raise NotFound(f"{where} has no rule on the {kind} {pattern!r}")
            await change.note("policy.remove", _concerned(owner, tenant), _shown(pattern, is_prefix, action))


async def _add(repository: RuleRepository, owner: int | None, rules: list[Rule], now_ns: int) -> None:
    if await repository.count(owner) + len(rules) > MAX_RULES:
        raise InvalidRequest(f"there can be {MAX_RULES} rules of the installation, and of each tenant")
    for rule in rules:
        await repository.add(owner, rule, now_ns)


def _concerned(owner: int | None, tenant: str | None) -> tuple[int, str] | None:
    return None if owner is None or tenant is None else (owner, tenant)


def _shown(pattern: str, is_prefix: bool, action: str) -> dict[str, object]:
    return {"name": pattern, "is_prefix": is_prefix, "action": str(action)}


def checked_pattern(name: str) -> str:
    """The name or prefix of a rule, folded. Raises InvalidRequest for what would match nothing, or everything."""
    pattern = name.casefold()
    if not pattern:
        raise InvalidRequest("the name is empty; as a prefix it would be every attribute")
    if len(pattern) > NAME_CHARACTERS:
        raise InvalidRequest(f"a name or prefix may have {NAME_CHARACTERS} characters, this one has {len(pattern)}")
    if not pattern.isprintable() or pattern != pattern.strip():
        raise InvalidRequest(
            f"{name!r} has characters that no attribute's name has: spaces around it, or invisible ones"
        )
    if "*" in pattern:
        raise InvalidRequest(
            f"{name!r}: there are no wildcards; for all names that begin so, give the text before * as a prefix"
        )
    return pattern


async def _owner(connection: AsyncConnection, tenant: str | None) -> int | None:
    return None if tenant is None else await require_tenant(connection, tenant)
