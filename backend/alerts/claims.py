"""Claims rules that are due, so that one worker evaluates each of them, and stores the results of evaluations."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from sqlalchemy import BigInteger, BindParameter, Update, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.claimed_work import CLAIM_SECONDS, FreeSlots, claimed_until, readable
from backend.alerts.due import NOW, due_ids, has_passed, select_due
from backend.alerts.groups import read_groups, write_groups
from backend.alerts.history import add_events
from backend.alerts.notices import notices_of
from backend.alerts.outbox import add_notices
from backend.alerts.rules import Rule, rule_of
from backend.alerts.transitions import Evaluated, Event, GroupState, State
from schema.control.alert_models import AlertRule
from schema.control.models import TenantRow

_IS_FREE: Final = has_passed(AlertRule.claimed_until_ns, CLAIM_SECONDS)
_DUE_BY: Final[BindParameter[int]] = bindparam("due_by_ns", type_=BigInteger)
_IS_DUE: Final = (AlertRule.due_ns <= _DUE_BY) & _IS_FREE
_LIVE: Final = select(TenantRow.id).where(TenantRow.deleted_at_ns.is_(None))
_SELECT_DUE: Final = select_due(AlertRule, _IS_DUE & AlertRule.tenant_id.in_(_LIVE))


class Claimed(NamedTuple):
    """A rule that this worker evaluates, and the random text of its claim.

    `behind_ns` is the time, in nanoseconds, by which the logs that are stored are behind the clock.
    """

    rule: Rule
    claim: str
    behind_ns: int = 0

    @property
    def tenant_id(self) -> int:
        return self.rule.tenant_id


def last_due(rule_id: str, interval_seconds: int, now_ns: int) -> int:
    """Returns the newest time, at or before `now_ns`, at which the rule was due.

    Rules with the same interval are due at different seconds of it. The second follows from the rule's random id.
    Otherwise all rules would be due at each full minute, and wait for each other.
    """
    interval_ns = interval_seconds * 10**9
    offset_ns = int(rule_id, 16) % interval_seconds * 10**9
    return now_ns - (now_ns - offset_ns) % interval_ns


async def claim_due(
    engine: AsyncEngine, now_ns: int, slots: FreeSlots, claim: str, due_by_ns: int | None = None
) -> list[Claimed]:
    """Claims rules that were due until `due_by_ns`, or until now, as many as there are slots. Concurrent workers never
    claim the same rule."""
    times = {NOW.key: now_ns, _DUE_BY.key: now_ns if due_by_ns is None else due_by_ns}
    due = await due_ids(engine, _SELECT_DUE, times, slots)
    if not due:
        return []
    async with engine.begin() as connection:
        rows = await connection.execute(
            update(AlertRule)
            # Another worker may have claimed some of them since they were read.
            .where(AlertRule.id.in_(due), _IS_DUE)
            .values(claim=claim, claimed_until_ns=claimed_until(now_ns))
            .returning(*AlertRule.__table__.columns),
            times,
        )
        return readable(rows.mappings(), lambda row: Claimed(rule_of(row), claim))


async def renew_claims(engine: AsyncEngine, claims: Mapping[str, str], now_ns: int) -> None:
    """Extends claims, by the ids of their rules, except for rules that were stored, changed or claimed again
    meanwhile."""
    # Rules that were claimed together have the same claim. The condition on the ids leaves out rules whose result could
    # not be stored, so that they become free.
    is_held = AlertRule.id.in_(claims) & AlertRule.claim.in_(set(claims.values()))
    async with engine.begin() as connection:
        await connection.execute(update(AlertRule).where(is_held).values(claimed_until_ns=claimed_until(now_ns)))


async def put_off(engine: AsyncEngine, claimed: Claimed, until_ns: int) -> None:
    """Gives a claim back. The rule stays due, but no worker claims it until `until_ns`, unless it is changed before."""
    async with engine.begin() as connection:
        await connection.execute(_held(claimed).values(claim=None, claimed_until_ns=until_ns))


async def read_state(engine: AsyncEngine, rule_id: str) -> list[GroupState]:
    """Returns the groups of a rule that are pending or firing."""
    async with engine.connect() as connection:
        return await read_groups(connection, rule_id)


class Result(NamedTuple):
    """Result of an evaluation at `at_ns`. `evaluated` is None if the evaluation failed; `detail` is then the reason."""

    at_ns: int
    evaluated: Evaluated | None
    detail: str = ""

    @property
    def state(self) -> State:
        return State.error if self.evaluated is None else self.evaluated.state


async def store_result(engine: AsyncEngine, claimed: Claimed, result: Result, now_ns: int, token: str) -> bool:
    """Stores states, history and notices of an evaluation in one transaction, and makes the rule due again.

    A failed evaluation leaves the groups as they were. Returns False, and stores nothing, if the claim was lost: the
    rule was changed, deleted, or claimed again. `token` is a random text from which the ids of the notices are made.
    """
    rule, at_ns, evaluated = claimed.rule, result.at_ns, result.evaluated
    interval = rule.content.interval_seconds
    values = {"state": str(result.state), "detail": result.detail, "evaluated_at_ns": at_ns}
    # Due times that passed during this evaluation are skipped, so that a slow query does not cause ever more
    # evaluations. Due times that passed while the rule waited for logs are not skipped, because their ranges would
    # never be evaluated.
    due_ns = last_due(rule.id, interval, max(now_ns - claimed.behind_ns, at_ns)) + interval * 10**9
    due = {"due_ns": due_ns, "claim": None, "claimed_until_ns": 0}
    async with engine.begin() as connection:
        held = await connection.execute(_held(claimed).values(**values, **due))
        if held.rowcount == 0:
            return False
        await add_events(connection, rule, events_of(rule, result), at_ns)
        if evaluated is not None:
            before = await read_groups(connection, rule.id)
            is_muted = rule.muted_until_ns is not None and now_ns < rule.muted_until_ns
            notices, groups = notices_of(rule, before, evaluated, at_ns, is_muted=is_muted)
            await write_groups(connection, rule, groups)
            added = await add_notices(connection, rule, notices, token, now_ns)
            if added.left_out:
                left_out = Event(None, rule.state, result.state, None, added.problem)
                await add_events(connection, rule, (left_out,), at_ns)
    return True


def events_of(rule: Rule, result: Result) -> tuple[Event, ...]:
    """Returns the changes of groups, after the change of the rule itself to or from `error` or `no_data`."""
    events = () if result.evaluated is None else result.evaluated.events
    changed = {rule.state, result.state}
    if len(changed) == 2 and changed & {State.error, State.no_data}:
        return Event(None, rule.state, result.state, None, result.detail), *events
    return events


def _held(claimed: Claimed) -> Update:
    return update(AlertRule).where(AlertRule.id == claimed.rule.id, AlertRule.claim == claimed.claim)
