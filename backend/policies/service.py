"""Changes and lists attribute rules, each call in one transaction. Receivers apply changes within 5 s."""

from enum import Enum
from typing import Final

from backend.audited_service import AuditedService
from backend.policies.owner import audited, owner_id
from backend.policies.recommended import RECOMMENDED
from backend.policies.repository import AttributeRuleRepository, RuleInfo
from kit.errors import InvalidRequest, NotFound
from schema.attribute_rules import NAME_CHARACTERS, Action, Rule

MAX_ATTRIBUTE_RULES: Final = 1000
"""Largest number of rules of the installation, and of each tenant."""


class RuleChange(Enum):
    """The effect of adding a rule."""

    added = "added"
    changed = "changed"
    unchanged = "unchanged"


class PolicyService(AuditedService):
    """Changes and lists rules. `tenant` is the name of the owner, or None for the installation and so all tenants."""

    async def rules(self, tenant: str | None) -> list[RuleInfo]:
        """Returns all rules, or those that apply to `tenant`, which include the installation's.

        Raises NotFound for an unknown tenant.
        """
        async with self._engine.connect() as connection:
            return await AttributeRuleRepository(connection).rules(await owner_id(connection, tenant))

    async def add(self, tenant: str | None, name: str, is_prefix: bool, action: Action) -> RuleChange:
        """Adds a rule, or changes the action of the rule on this name. The name has a rule at every moment of a change.

        Raises InvalidRequest for an invalid name or too many rules, NotFound for an unknown tenant.
        """
        rule = Rule(checked_pattern(name), is_prefix, action)
        async with self._changing() as change:
            repository = AttributeRuleRepository(change.connection)
            owner = await owner_id(change.connection, tenant)
            before = await repository.action(owner, rule.pattern, is_prefix)
            if before == action:
                return RuleChange.unchanged
            was = {} if before is None else _shown(rule.pattern, is_prefix, before)
            await change.note("policy.set", audited(owner, tenant), was, _shown(rule.pattern, is_prefix, action))
            if before is not None:
                await repository.change(owner, rule)
                return RuleChange.changed
            await _add(repository, owner, [rule], change.now_ns)
        return RuleChange.added

    async def add_recommended(self, tenant: str | None) -> int:
        """Adds the recommended rules and returns how many were added. Existing rules on their names stay as they are.

        Raises InvalidRequest for too many rules, NotFound for an unknown tenant.
        """
        async with self._changing() as change:
            repository = AttributeRuleRepository(change.connection)
            owner = await owner_id(change.connection, tenant)
            missing = [
                rule for rule in RECOMMENDED if await repository.action(owner, rule.pattern, rule.is_prefix) is None
            ]
            await _add(repository, owner, missing, change.now_ns)
            if missing:
                added = [_shown(rule.pattern, rule.is_prefix, rule.action) for rule in missing]
                await change.note("policy.set", audited(owner, tenant), after={"rules": added})
        return len(missing)

    async def remove(self, tenant: str | None, name: str, is_prefix: bool) -> None:
        """Removes a rule. Values that it dropped or masked are lost. Raises NotFound for an unknown rule or tenant."""
        pattern = checked_pattern(name)
        async with self._changing() as change:
            repository = AttributeRuleRepository(change.connection)
            owner = await owner_id(change.connection, tenant)
            action = await repository.action(owner, pattern, is_prefix)
            if action is None or not await repository.remove(owner, pattern, is_prefix):
                kind = "prefix" if is_prefix else "name"
                where = "the installation" if tenant is None else f"tenant {tenant!r}"
                raise NotFound(f"{where} has no rule on the {kind} {pattern!r}; `logsieve policy list` shows all")
            await change.note("policy.remove", audited(owner, tenant), _shown(pattern, is_prefix, action))


async def _add(repository: AttributeRuleRepository, owner: int | None, rules: list[Rule], now_ns: int) -> None:
    if await repository.count(owner) + len(rules) > MAX_ATTRIBUTE_RULES:
        raise InvalidRequest(
            f"{'the installation' if owner is None else 'the tenant'} would have more than {MAX_ATTRIBUTE_RULES} "
            "rules, the largest number allowed: remove one, or replace several by one rule with a prefix"
        )
    for rule in rules:
        await repository.add(owner, rule, now_ns)


def _shown(pattern: str, is_prefix: bool, action: str) -> dict[str, object]:
    return {"name": pattern, "is_prefix": is_prefix, "action": str(action)}


def checked_pattern(name: str) -> str:
    """Returns a rule's name or prefix, folded.

    Raises InvalidRequest for a pattern that matches no attribute, or all.
    """
    pattern = name.casefold()
    if not pattern:
        raise InvalidRequest("the name is empty: give a name, or the beginning of names")
    if len(pattern) > NAME_CHARACTERS:
        raise InvalidRequest(
            f"a name or prefix may have at most {NAME_CHARACTERS} characters, but this one has {len(pattern)}"
        )
    if not pattern.isprintable() or pattern != pattern.strip():
        raise InvalidRequest(
            f"{name!r} begins or ends with a space, or has invisible characters, which attribute names do not have: "
            "remove them"
        )
    if "*" in pattern:
        raise InvalidRequest(
            f"{name!r} has a *, and rules have no wildcards: to match all names with a prefix, add a prefix rule"
        )
    return pattern
