"""Polls the control plane for stored evaluations, held claims and waiting notices, without a request to any service."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.claimed_work import CLAIM_SECONDS
from kit.clock import Clock
from kit.errors import Unavailable
from kit.settings import Settings
from loadtest.background import Background
from loadtest.waiting import WAIT_SECONDS
from schema.control.alert_models import AlertNotice, AlertRule
from schema.control.database import opened

POLL_SECONDS: Final = 0.2
_CLAIM_NS: Final = round(CLAIM_SECONDS * 1e9)


class Evaluation(NamedTuple):
    """A stored evaluation. `lag_seconds` is the time from its due time to the poll that found it."""

    lag_seconds: float
    failed: bool


class RuleState(NamedTuple):
    due_ns: int
    evaluated_at_ns: int | None
    failed: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """State of the control plane between `started_ns` and `read_ns`."""

    started_ns: int
    read_ns: int
    rules: Mapping[str, RuleState]
    claimed_ns: tuple[int, ...]
    """Time at which each claim of a rule or notice that no worker has finished was made or last renewed."""
    waiting: int
    """Number of notices that are not sent, including the claimed ones."""

    def claimed_since(self, since_ns: int) -> int:
        """Returns the number of claims at or after a time that no worker has finished."""
        return sum(at_ns >= since_ns for at_ns in self.claimed_ns)


class EvaluationWatch(Background):
    """Polls every POLL_SECONDS within the block."""

    def __init__(self, settings: Settings, tenants: Sequence[int], clock: Clock) -> None:
        """Reads the rules and notices of the tenants with these ids."""
        super().__init__("evaluations")
        self.evaluations: list[Evaluation] = []
        """All evaluations that were stored since the start of the block."""
        self.resolution_seconds = 0.0
        """Longest time between the starts of two polls."""
        self._url = settings.control_plane_url
        self._tenants = tenants
        self._clock = clock
        self._latest: Snapshot | None = None
        # Numbers of polls.
        self._started = self._finished = 0

    def snapshot(self) -> Snapshot:
        """Returns the first snapshot that is started after the call.

        Raises the error that ended the polls, and Unavailable if none finishes within WAIT_SECONDS.
        """
        started, deadline = self._started, time.monotonic() + WAIT_SECONDS
        while self._latest is None or self._finished <= started:
            self.check()
            if time.monotonic() > deadline:
                raise Unavailable(f"the control plane was not read within {WAIT_SECONDS:g} s")
            time.sleep(POLL_SECONDS / 10)
        return self._latest

    def work(self) -> None:
        asyncio.run(self._poll())

    async def _poll(self) -> None:
        async with opened(self._url) as engine:
            while not self.stopping.is_set():
                self._started += 1
                before, found = self._latest, await _read(engine, self._tenants, self._clock)
                if before is not None:
                    self.evaluations += stored_between(before, found)
                    pause = (found.started_ns - before.started_ns) / 1e9
                    self.resolution_seconds = max(self.resolution_seconds, pause)
                self._latest, self._finished = found, self._started
                await asyncio.sleep(POLL_SECONDS)


def stored_between(before: Snapshot, after: Snapshot) -> list[Evaluation]:
    """Returns the evaluations that `after` has and `before` has not. Their due times are those in `before`."""
    return [
        Evaluation((after.read_ns - before.rules[rule].due_ns) / 1e9, now.failed)
        for rule, now in after.rules.items()
        if rule in before.rules and now.evaluated_at_ns != before.rules[rule].evaluated_at_ns
    ]


async def _read(engine: AsyncEngine, tenants: Sequence[int], clock: Clock) -> Snapshot:
    started_ns = clock.now_ns()
    is_waiting = (AlertNotice.state == "waiting") & AlertNotice.tenant_id.in_(tenants)
    async with engine.connect() as connection:
        rows = await connection.execute(
            select(
                AlertRule.id, AlertRule.due_ns, AlertRule.evaluated_at_ns, AlertRule.state, AlertRule.claimed_until_ns
            ).where(AlertRule.tenant_id.in_(tenants))
        )
        rules = rows.all()
        waiting = await connection.execute(select(AlertNotice.created_at_ns, AlertNotice.due_ns).where(is_waiting))
        notices = waiting.all()
    return Snapshot(
        started_ns=started_ns,
        read_ns=clock.now_ns(),
        rules={id: RuleState(due_ns, at_ns, state == "error") for id, due_ns, at_ns, state, _ in rules},
        claimed_ns=(
            *(until_ns - _CLAIM_NS for *_, until_ns in rules if until_ns),
            # A notice is due when it is created. A claim moves its due time to the end of the claim.
            *(due_ns - _CLAIM_NS for created_at_ns, due_ns in notices if due_ns > created_at_ns),
        ),
        waiting=len(notices),
    )
