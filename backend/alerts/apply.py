"""Applies the result of an evaluation to the control plane, within the transaction of its caller."""

from dataclasses import replace
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from backend.alerts.groups import read_groups, write_groups
from backend.alerts.history import add_events, read_events
from backend.alerts.notices import notices_of
from backend.alerts.outbox import Added, add_notices
from backend.alerts.repository import Rule
from backend.alerts.transitions import Event, Result, events_of

_NEWEST: Final = 100
"""Number of events among which the newest one about the rule itself is looked for."""


async def apply_evaluation(connection: AsyncConnection, rule: Rule, result: Result, token: str, now_ns: int) -> None:
    """Writes the groups, the history and the notices that follow from an evaluation. A failed evaluation leaves the
    groups as they were.

    The transaction must have locked the rule, because notices are locked after it. Otherwise, two transactions could
    wait for each other. `rule` is the rule before the evaluation. `token` is a random text from which the ids of the
    notices are made.
    """
    await add_events(connection, rule, events_of(rule.state, result), result.at_ns)
    if result.evaluated is None:
        return
    before = await read_groups(connection, rule.id)
    is_muted = rule.muted_until_ns is not None and now_ns < rule.muted_until_ns
    notices = notices_of(rule, before, result.evaluated, result.at_ns, is_muted=is_muted)
    added = await add_notices(connection, rule, notices, token, now_ns)
    groups = [
        replace(each, is_notified=each.is_notified or each.group in added.groups) for each in result.evaluated.groups
    ]
    await write_groups(connection, rule, before, groups)
    if added.left_out:
        await _note_left_out(connection, rule, result, added)


async def _note_left_out(connection: AsyncConnection, rule: Rule, result: Result, added: Added) -> None:
    """Adds an event that says how many notices were left out, unless the newest event about the rule has the reasons.

    The notices of firing groups are tried again at each evaluation, which would otherwise fill the history.
    """
    newest = await read_events(connection, rule.tenant_id, rule.id, _NEWEST)
    last = next((each.event.detail for each in newest if each.event.group is None), "")
    if not all(why in last for why in added.left_out):
        event = Event(None, rule.state, result.state, None, added.problem)
        await add_events(connection, rule, (event,), result.at_ns)
