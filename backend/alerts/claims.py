"""Claims rules that are due, so that one worker evaluates each of them, and stores the results of evaluations."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from sqlalchemy import BigInteger, BindParameter, Update, bindparam, update
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.apply import apply_evaluation
from backend.alerts.claimed_work import CLAIM_SECONDS, FreeSlots, claimed_until, readable
from backend.alerts.due import LIVE, NOW, due_ids, has_passed, select_due
from backend.alerts.groups import read_groups
from backend.alerts.repository import Rule, rule_of
from backend.alerts.schedule import next_due
from backend.alerts.transitions import GroupState, Result
from schema.control.alert_models import AlertRule

_IS_FREE: Final = has_passed(AlertRule.claimed_until_ns, CLAIM_SECONDS)
_DUE_BY: Final[BindParameter[int]] = bindparam("due_by_ns", type_=BigInteger)
_IS_DUE: Final = (AlertRule.due_ns <= _DUE_BY) & _IS_FREE & AlertRule.tenant_id.in_(LIVE)
_SELECT_DUE: Final = select_due(AlertRule, _IS_DUE)


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


async def store_result(engine: AsyncEngine, claimed: Claimed, result: Result, now_ns: int, token: str) -> bool:
    """Stores an evaluation (`apply_evaluation`), and makes the rule due again, in one transaction.

    Returns False, and stores nothing, if the claim was lost: the
    rule was changed, deleted, or claimed again.
    """
    rule = claimed.rule
    values = {"state": str(result.state), "detail": result.detail, "evaluated_at_ns": result.at_ns}
    # Due times that passed during this evaluation are skipped, so that a slow query does not cause ever more
    # evaluations. Due times that passed while the rule waited for logs are not skipped, because their ranges would
    # never be evaluated.
    skipped_until_ns = max(now_ns - claimed.behind_ns, result.at_ns)
    due_ns = next_due(rule.id, rule.content.interval_seconds, skipped_until_ns)
    due = {"due_ns": due_ns, "claim": None, "claimed_until_ns": 0}
    async with engine.begin() as connection:
        held = await connection.execute(_held(claimed).values(**values, **due))
        if held.rowcount == 0:
            return False
        await apply_evaluation(connection, rule, result, token, now_ns)
    return True


def _held(claimed: Claimed) -> Update:
    return update(AlertRule).where(AlertRule.id == claimed.rule.id, AlertRule.claim == claimed.claim)
