"""Evaluates alert rules: runs a rule's query, and decides the states of its groups."""

import asyncio
import math
import secrets
from collections.abc import Callable
from typing import Final, Protocol

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.claimed_work import ClaimedWork, FreeSlots
from backend.alerts.claims import (
    Claimed,
    claim_due,
    put_off,
    read_state,
    renew_claims,
    store_result,
)
from backend.alerts.control_plane import answering, one_writer
from backend.alerts.repository import Rule
from backend.alerts.schedule import last_due
from backend.alerts.transitions import Observed, Result, evaluate
from kit import metrics
from kit.clock import Clock
from kit.errors import LogsieveError, Unavailable
from kit.settings import Settings
from schema.control.database import is_refusal

EVALUATION_SECONDS: Final = 60.0
"""Longest time of one evaluation, in seconds."""

SHORTEST_PUT_OFF_SECONDS: Final = 2.0
LONGEST_PUT_OFF_SECONDS: Final = 15.0
"""Bounds of the time for which a rule that waits for logs of its shards is not claimed again, in seconds. It is half of
the time that the rule has waited, so that many waiting rules cause few transactions."""

FAULT_DETAIL: Final = (
    "the rule could not be evaluated because of an error in Logsieve: change its query, or ask the operator; the log "
    "of the alert worker has the reason under the rule's id"
)
"""Reason of state `error` after an unexpected error. Only the log has the error's own text, which may name hosts and
statements."""

log = structlog.get_logger()


class Observer(Protocol):
    """Reads the values of a rule. Times are in nanoseconds since the Unix epoch."""

    def due_by(self, now_ns: int) -> int:
        """Returns the time until which rules may be claimed. Rules that were due later wait for their logs."""
        ...

    def as_of(self, rule: Rule, now_ns: int) -> int:
        """Returns the time as of which a rule may be evaluated, at most `now_ns`. A rule that was due later waits."""
        ...

    async def observe(self, rule: Rule, at_ns: int) -> list[Observed]:
        """Returns the values of the rule's groups at a time. Raises LogsieveError."""
        ...


class Evaluator:
    """Evaluates the rules that are due, at most `alerts_max_concurrent` (a setting) at the same time."""

    def __init__(
        self,
        settings: Settings,
        engine: AsyncEngine,
        observer: Observer,
        clock: Clock,
        token_hex: Callable[[int], str] = secrets.token_hex,
    ) -> None:
        """`token_hex` returns a number of random bytes as hexadecimal digits, for claims and ids of notices."""
        self._rules = ClaimedWork(self._claim, self._evaluate_held, settings.alerts_max_concurrent)
        self._engine = engine
        self._observer = observer
        self._clock = clock
        self._token_hex = token_hex
        self._writing = one_writer(engine)
        self._held: dict[str, str] = {}
        """Claims of the rules that are being evaluated, by the ids of these rules."""
        self._lag = metrics.histogram(metrics.ALERT_LAG_SECONDS)
        self._evaluations = metrics.counter(metrics.ALERT_EVALUATIONS)

    async def evaluate_due(self, seconds: float = math.inf) -> int:
        """Evaluates rules until none can be claimed, or for `seconds`, and returns the number of claims. Rules that
        must wait for logs of their shards count too. Raises what `ClaimedWork.run` raises."""
        return await self._rules.run(seconds)

    async def aclose(self) -> None:
        """Cancels the evaluations that run. They store nothing."""
        await self._rules.cancel()

    async def renew(self) -> None:
        """Extends the claims of the rules that are being evaluated, so that no other worker claims them."""
        async with answering(), self._writing:
            if self._held:
                await renew_claims(self._engine, self._held, self._clock.now_ns())

    async def _claim(self, slots: FreeSlots) -> list[Claimed]:
        now_ns = self._clock.now_ns()
        async with answering():
            return await claim_due(self._engine, now_ns, slots, self._token_hex(16), self._observer.due_by(now_ns))

    async def _evaluate_held(self, claimed: Claimed) -> None:
        self._held[claimed.rule.id] = claimed.claim
        try:
            await self._evaluate(claimed)
        finally:
            # If the process paused for longer than a claim holds, it may have claimed the same rule again meanwhile.
            if self._held.get(claimed.rule.id) == claimed.claim:
                del self._held[claimed.rule.id]

    async def _evaluate(self, claimed: Claimed) -> None:
        rule = claimed.rule
        now_ns = self._clock.now_ns()
        as_of_ns = self._observer.as_of(rule, now_ns)
        if as_of_ns < rule.due_ns:
            # The rule was claimed because the logs of another shard are stored up to its due time. The logs of its own
            # shards are not, so an evaluation now would leave out the range for which the rule is due.
            await self._put_off(claimed, now_ns)
            return
        claimed = claimed._replace(behind_ns=now_ns - as_of_ns)
        # A late rule is evaluated only once, as of the last time at which it was due.
        at_ns = last_due(rule.id, rule.content.interval_seconds, as_of_ns)
        try:
            result = await self._result(rule, at_ns)
            is_stored = await self._store(claimed, result)
        except Exception as error:  # A rule that always fails must not stay due: it would be evaluated all the time.
            if _is_unreachable(error):
                raise  # Nothing can be stored now. The claim expires, and a worker repeats the evaluation.
            log.exception("an alert rule cannot be evaluated", rule=rule.id, tenant=rule.tenant_id)
            result = Result(at_ns, None, FAULT_DETAIL)
            is_stored = await self._store(claimed, result)
        failed = result.evaluated is None
        self._evaluations.add(1, {"outcome": "lost" if not is_stored else "error" if failed else "done"})
        self._lag.record((self._clock.now_ns() - rule.due_ns) / 1e9)
        if failed:
            log.warning("an alert rule was not evaluated", rule=rule.id, tenant=rule.tenant_id)

    async def _result(self, rule: Rule, at_ns: int) -> Result:
        try:
            async with asyncio.timeout(EVALUATION_SECONDS):
                observed = await self._observer.observe(rule, at_ns)
        except LogsieveError as error:
            return Result(at_ns, None, error.detail)
        except TimeoutError:
            detail = (
                f"the query took longer than {EVALUATION_SECONDS:.0f} s: shorten the range of the rule, or write a "
                "query that matches fewer records"
            )
            return Result(at_ns, None, detail)
        async with answering():
            before = await read_state(self._engine, rule.id)
        return Result(at_ns, evaluate(rule.content.condition, rule.content.for_seconds, before, observed, at_ns))

    async def _put_off(self, claimed: Claimed, now_ns: int) -> None:
        waited = (now_ns - claimed.rule.due_ns) / 1e9
        seconds = min(max(waited / 2, SHORTEST_PUT_OFF_SECONDS), LONGEST_PUT_OFF_SECONDS)
        async with answering(), self._writing:
            await put_off(self._engine, claimed, now_ns + round(seconds * 1e9))

    async def _store(self, claimed: Claimed, result: Result) -> bool:
        now_ns = self._clock.now_ns()
        async with answering(), self._writing:
            return await store_result(self._engine, claimed, result, now_ns, self._token_hex(16))


def _is_unreachable(error: Exception) -> bool:
    """Returns whether the control plane failed, and did not just refuse a statement."""
    return isinstance(error, (Unavailable, SQLAlchemyError)) and not is_refusal(error)
