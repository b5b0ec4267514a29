"""Lists, creates, changes, mutes, tests and deletes alert rules of a tenant, each call in one transaction."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.apply import apply_evaluation
from backend.alerts.channels import check_channel
from backend.alerts.content import RuleContent, check_content, check_query
from backend.alerts.groups import read_groups
from backend.alerts.history import PastEvent, read_events
from backend.alerts.notice_limits import remove_notices_of
from backend.alerts.notices import NoticeKind, notice_of
from backend.alerts.outbox import PastNotice, add_notices, read_notices
from backend.alerts.repository import AlertRuleRepository, Rule
from backend.alerts.schedule import next_due
from backend.alerts.transitions import Evaluated, Event, GroupState, Result, State
from backend.caller import Caller
from backend.saved_items import ItemKind
from backend.store.query_threads import QueryThreads
from kit.clock import Clock
from kit.errors import InvalidRequest, RateLimited
from schema.control.changes import Change, changing

MAX_ALERT_RULES: Final = 500
"""Largest number of alert rules of one tenant."""
MAX_HISTORY: Final = 200
"""Largest number of events, and of notices, in one answer."""

_RULE: Final = ItemKind("an", "alert rule")


@dataclass(frozen=True, slots=True)
class RuleStatus:
    """A rule and its groups that are pending or firing."""

    rule: Rule
    groups: list[GroupState]


class AlertService:
    """Reads and changes the alert rules of tenants. Writes every change to the audit log, without the rule's query and
    channels."""

    def __init__(
        self,
        engine: AsyncEngine,
        clock: Clock,
        queries: QueryThreads,
        has_mail: bool,
        token_hex: Callable[[int], str] = secrets.token_hex,
    ) -> None:
        """`has_mail` is true if the installation can send e-mail. `token_hex` returns a number of random bytes as
        hexadecimal digits."""
        self._engine = engine
        self._clock = clock
        self._queries = queries
        self._has_mail = has_mail
        self._token_hex = token_hex

    async def rules(self, tenant_id: int) -> list[Rule]:
        """Returns a tenant's rules, sorted by name."""
        async with self._engine.connect() as connection:
            return await AlertRuleRepository(connection, tenant_id).rules()

    async def status(self, tenant_id: int, rule_id: str) -> RuleStatus:
        """Returns a rule and its pending and firing groups. Raises NotFound, also for a rule of another tenant."""
        async with self._engine.connect() as connection:
            rule = await _RULE.found(AlertRuleRepository(connection, tenant_id).find, rule_id)
            return RuleStatus(rule, await read_groups(connection, rule_id))

    async def history(self, tenant_id: int, rule_id: str) -> tuple[list[PastEvent], list[PastNotice]]:
        """Returns a rule's newest events and notices, newest first. Raises NotFound."""
        async with self._engine.connect() as connection:
            await _RULE.found(AlertRuleRepository(connection, tenant_id).find, rule_id)
            events = await read_events(connection, tenant_id, rule_id, MAX_HISTORY)
            return events, await read_notices(connection, tenant_id, rule_id, MAX_HISTORY)

    async def create(self, caller: Caller, content: RuleContent) -> Rule:
        """Saves a new rule.

        Raises InvalidRequest for an invalid value or too many rules, InvalidQuery for an invalid query, Conflict if
        another rule has the name.
        """
        await self._check(caller, content)
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = AlertRuleRepository(change.connection, caller.tenant.id)
            _RULE.require_room(await repository.count(), MAX_ALERT_RULES)
            author, now_ns = caller.actor.name, change.now_ns
            id = self._token_hex(6)
            due_ns = next_due(id, content.interval_seconds, now_ns)
            rule = Rule(id, caller.tenant.id, content, None, 1, now_ns, author, now_ns, author, due_ns)
            _RULE.require_free(content.name, await repository.named(content.name), rule.id)
            await repository.add(rule)
            await change.note("alert.create", caller.owner, after=_shown(rule))
        return rule

    async def change(
        self, caller: Caller, rule_id: str, content: RuleContent, revision: int, *, keeps_channels: bool
    ) -> Rule:
        """Replaces the content of a rule. With `keeps_channels`, the rule keeps its channels.

        The rule starts again in state `ok`. Each group whose firing was notified causes a notice that it is resolved.
        Raises NotFound, RevisionConflict, and the errors of `create`, except the one for too many rules.
        """
        await self._check(caller, content)
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = AlertRuleRepository(change.connection, caller.tenant.id)
            before = await _RULE.found(repository.find_for_change, rule_id)
            _RULE.require_revision(before.content.name, before.revision, revision)
            await self._close_groups(change, before)
            if keeps_channels:
                content = replace(content, channels=before.content.channels)
            rule = replace(
                _changed(before, change),
                content=content,
                due_ns=next_due(rule_id, content.interval_seconds, change.now_ns),
                state=State.ok,
                detail="",
                evaluated_at_ns=None,
            )
            _RULE.require_free(content.name, await repository.named(content.name), rule.id)
            await repository.change(rule)
            await change.note("alert.change", caller.owner, _shown(before), _shown(rule))
        return rule

    async def mute(self, caller: Caller, rule_id: str, until_ns: int | None) -> Rule:
        """Mutes a rule until a time, or ends its mute with None. Raises NotFound."""
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = AlertRuleRepository(change.connection, caller.tenant.id)
            before = await _RULE.found(repository.find_for_change, rule_id)
            rule = replace(_changed(before, change), muted_until_ns=until_ns)
            await repository.change(rule)
            await change.note("alert.mute", caller.owner, _shown(before), _shown(rule))
        return rule

    async def test(self, caller: Caller, rule_id: str) -> list[str]:
        """Writes a test notice for each channel of a rule, and returns their ids.

        Raises NotFound, InvalidRequest, and RateLimited if too many notices of the tenant wait, or were written in the
        last hour.
        """
        async with changing(self._engine, self._clock, caller.actor) as change:
            rule = await _RULE.found(AlertRuleRepository(change.connection, caller.tenant.id).find, rule_id)
            if not rule.content.channels:
                raise InvalidRequest("the rule has no channels to test: add a webhook or an e-mail channel first")
            group = GroupState((), State.firing, change.now_ns, None)
            notice = notice_of(rule, NoticeKind.test, group, None, change.now_ns)
            added = await add_notices(change.connection, rule, [notice], self._token_hex(16), change.now_ns)
            if added.left_out:
                raise RateLimited(f"{added.problem}: try again later", 60)
            await change.note("alert.test", caller.owner, after=_shown(rule))
        return added.ids

    async def delete(self, caller: Caller, rule_id: str, revision: int | None) -> None:
        """Deletes a rule. Raises NotFound, and RevisionConflict if a revision is given and the rule has another one.

        Each group whose firing was notified causes a notice that it is resolved.
        """
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = AlertRuleRepository(change.connection, caller.tenant.id)
            before = await _RULE.found(repository.find_for_change, rule_id)
            _RULE.require_revision(before.content.name, before.revision, revision)
            await self._close_groups(change, before)
            await repository.remove(rule_id)
            await remove_notices_of(change.connection, caller.tenant.id, rule_id, change.now_ns)
            await change.note("alert.delete", caller.owner, _shown(before))

    async def _check(self, caller: Caller, content: RuleContent) -> None:
        check_content(content)
        for channel in content.channels:
            check_channel(channel, has_mail=self._has_mail)
        await self._queries.run(caller.tenant.id, lambda: check_query(content))

    async def _close_groups(self, change: Change, rule: Rule) -> None:
        groups = await read_groups(change.connection, rule.id)
        closed = Evaluated(State.ok, (), tuple(Event(each.group, each.state, State.ok, each.value) for each in groups))
        result, token = Result(change.now_ns, closed), self._token_hex(16)
        await apply_evaluation(change.connection, rule, result, token, change.now_ns)


def _changed(rule: Rule, change: Change) -> Rule:
    return replace(rule, revision=rule.revision + 1, changed_at_ns=change.now_ns, changed_by=change.actor.name)


def _shown(rule: Rule) -> dict[str, object]:
    # The query is left out because its words may be personal data, and the channels because they contain secrets.
    return {
        "rule": rule.id,
        "name": rule.content.name,
        "severity": str(rule.content.severity),
        "channels": [str(channel.kind) for channel in rule.content.channels],
        "muted_until_ns": rule.muted_until_ns,
        "revision": rule.revision,
    }
