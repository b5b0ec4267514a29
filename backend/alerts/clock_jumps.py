"""Makes rules due whose due time was written while the clock of a worker or an API process was ahead."""

from typing import Final

import structlog
from sqlalchemy import BigInteger, ColumnElement, cast, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.content import MIN_INTERVAL_SECONDS
from backend.alerts.control_plane import answering
from kit.clock import CLOCKS_APART_NS
from schema.control.alert_models import AlertRule

CLOCK_JUMP_SECONDS: Final = 60.0
"""Seconds between two searches for such rules. They are not part of each poll, because they read all rules with long
intervals."""

log = structlog.get_logger()


async def make_far_rules_due(engine: AsyncEngine, now_ns: int) -> int:
    """Makes rules due now whose due time is further ahead than their interval and CLOCKS_APART. Returns their number.

    Such a rule would not be evaluated until the wrong time has come. Only reads if there is none, so that it takes no
    lock. Raises Unavailable if the control plane fails or does not answer.
    """
    is_far = _is_far(now_ns)
    async with answering(), engine.connect() as connection:
        far = (await connection.scalars(select(AlertRule.id).where(is_far))).all()
    if not far:
        return 0
    async with answering(), engine.begin() as connection:
        # A worker may have stored an evaluation of some of them since they were read.
        changed = await connection.execute(update(AlertRule).where(AlertRule.id.in_(far), is_far).values(due_ns=now_ns))
    log.warning(
        "alert rules were due too far ahead: check the clocks of alert workers and APIs", rules=changed.rowcount
    )
    return changed.rowcount


def _is_far(now_ns: int) -> ColumnElement[bool]:
    earliest_ns = now_ns + CLOCKS_APART_NS
    # Without the cast, the product would exceed the 32 bits of the column.
    interval_ns = cast(AlertRule.interval_seconds, BigInteger) * 10**9
    # The first part is for the index on `due_ns`.
    return (AlertRule.due_ns > earliest_ns + MIN_INTERVAL_SECONDS * 10**9) & (
        AlertRule.due_ns > interval_ns + earliest_ns
    )
