"""Applies the result of an evaluation to the control plane, within the transaction of its caller."""

from sqlalchemy.ext.asyncio import AsyncConnection

from backend.alerts.groups import read_groups, write_groups
from backend.alerts.history import add_events
from backend.alerts.notices import notices_of
from backend.alerts.outbox import add_notices
from backend.alerts.repository import Rule
from backend.alerts.transitions import Event, Result, events_of


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
    notices, groups = notices_of(rule, before, result.evaluated, result.at_ns, is_muted=is_muted)
    await write_groups(connection, rule, groups)
    added = await add_notices(connection, rule, notices, token, now_ns)
    if added.left_out:
        left_out = Event(None, rule.state, result.state, None, added.problem)
        await add_events(connection, rule, (left_out,), result.at_ns)
