"""Reads the attribute rules and the redactions of bodies from the control plane."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import structlog
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from schema.attribute_rules import NO_RULES, Action, Rule, TenantRules
from schema.control.models import AttributeRule, BodyRedaction
from schema.redactions import Redaction

log = structlog.get_logger()

Owner = int | None
"""A tenant's id, or None for the installation."""

NO_REDACTIONS: Final[Mapping[Owner, tuple[Redaction, ...]]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RuleBook:
    """All rules at one moment. Tenants without rules of their own share one object."""

    by_owner: Mapping[Owner, tuple[Rule, ...]]
    redactions: Mapping[Owner, tuple[Redaction, ...]]
    _shared: TenantRules
    _own: dict[int, TenantRules] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        by_owner: Mapping[Owner, tuple[Rule, ...]],
        redactions: Mapping[Owner, tuple[Redaction, ...]] = NO_REDACTIONS,
        last: "RuleBook | None" = None,
    ) -> "RuleBook":
        """Returns a book of the rules, by their owners. Tenants whose rules did not change keep their objects of
        `last`."""
        rules, common = by_owner.get(None, ()), redactions.get(None, ())
        shared = TenantRules(rules, (), common) if rules or common else NO_RULES
        before: dict[int, TenantRules] = {}
        if last is not None and (last.by_owner.get(None, ()), last.redactions.get(None, ())) == (rules, common):
            shared, before = last._shared, last._own
        own = {}
        for owner in by_owner.keys() | redactions.keys():
            if owner is not None:
                made = TenantRules(rules, by_owner.get(owner, ()), (*common, *redactions.get(owner, ())))
                found = before.get(owner)
                is_same = found is not None and (found.own, found.redactions) == (made.own, made.redactions)
                own[owner] = found if found is not None and is_same else made
        return cls(by_owner, redactions, shared, own)

    def rules(self, tenant_id: int) -> TenantRules:
        """Returns the rules for a tenant's records. Each call returns the same object."""
        return self._own.get(tenant_id, self._shared)


EMPTY: Final = RuleBook.of({})


async def read_rules(connection: AsyncConnection, last: RuleBook, only: Collection[int] | None = None) -> RuleBook:
    """Reads all rules; with tenants, reads only theirs and takes all others from `last`. Returns `last` if nothing
    changed."""
    by_owner: defaultdict[Owner, list[Rule]] = defaultdict(list)
    query = select(AttributeRule.tenant_id, AttributeRule.pattern, AttributeRule.is_prefix, AttributeRule.action)
    if only is not None:
        query = query.where(AttributeRule.tenant_id.in_(only))
    for owner, pattern, is_prefix, action in await connection.execute(query.order_by(AttributeRule.id)):
        by_owner[owner].append(Rule(pattern, is_prefix, _action(action, pattern)))
    patterns: defaultdict[Owner, list[Redaction]] = defaultdict(list)
    chosen = select(BodyRedaction.tenant_id, BodyRedaction.name, BodyRedaction.expression)
    if only is not None:
        chosen = chosen.where(BodyRedaction.tenant_id.in_(only))
    for owner, name, expression in await connection.execute(chosen.order_by(BodyRedaction.id)):
        patterns[owner].append(Redaction(name, expression))
    rules = {owner: tuple(found) for owner, found in by_owner.items()}
    redactions = {owner: tuple(found) for owner, found in patterns.items()}
    if only is not None:
        rules = {owner: kept for owner, kept in last.by_owner.items() if owner not in only} | rules
        redactions = {owner: kept for owner, kept in last.redactions.items() if owner not in only} | redactions
    is_same = rules == last.by_owner and redactions == last.redactions
    return last if is_same else RuleBook.of(rules, redactions, last)


def _action(name: str, pattern: str) -> Action:
    """Returns the action of this name. An unknown action, of a newer release, becomes `drop`, which also keeps values
    out of the store."""
    try:
        return Action(name)
    except ValueError:
        log.warning("unknown action of an attribute rule; the rule drops its attributes", action=name, pattern=pattern)
        return Action.drop
