"""Tests that the rare loops of a worker give a transaction up when the control plane never answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from backend.alerts.claimed_work import FreeSlots
from backend.alerts.clock_jumps import make_far_rules_due
from backend.alerts.notice_limits import remove_old
from backend.alerts.outbox import claim_notices, mark_sent
from backend.alerts.tests.world import NOW, World, content, run
from kit.errors import Unavailable
from schema.control.alert_models import AlertRule

PATIENCE_SECONDS = 60
SHORT_SECONDS = 0.01
"""Limit of a transaction that is not answered."""
FAR_NS = NOW + 10**9 * 86_400 * 365


class Answering:
    """An engine that gives the first connections to its user, and then never another one. From then on, transactions
    have a short limit. Those that are answered keep theirs, because they take any time on a busy machine."""

    def __init__(self, engine: AsyncEngine, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """`number` is the number of connections that the user gets."""
        self._engine = engine
        self._monkeypatch = monkeypatch
        self.left = number
        self._shorten_limit()

    def begin(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._answering(self._engine.begin())

    def connect(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._answering(self._engine.connect())

    @asynccontextmanager
    async def _answering(self, found: AbstractAsyncContextManager[AsyncConnection]) -> AsyncIterator[AsyncConnection]:
        if self.left == 0:
            await asyncio.Event().wait()
        async with found as connection:
            yield connection
        self.left -= 1
        self._shorten_limit()

    def _shorten_limit(self) -> None:
        if self.left == 0:
            self._monkeypatch.setattr("backend.alerts.control_plane.ANSWER_SECONDS", SHORT_SECONDS)


@pytest.mark.parametrize(
    ("run_once", "answered"),
    [(make_far_rules_due, 0), (make_far_rules_due, 1), (remove_old, 0), (remove_old, 1), (remove_old, 2)],
)
def test_a_transaction_without_an_answer_is_given_up(
    control_home: Path, monkeypatch: pytest.MonkeyPatch, run_once: Any, answered: int
) -> None:
    monkeypatch.setattr("backend.alerts.notice_limits.MAX_KEPT", 0)

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.service.test(world.acme, rule.id)
        for each in await claim_notices(world.engine, NOW, FreeSlots(8, 8), "claim"):
            await mark_sent(world.engine, each)
        async with world.engine.begin() as connection:
            await connection.execute(update(AlertRule).values(due_ns=FAR_NS))
        silent = Answering(world.engine, answered, monkeypatch)
        async with asyncio.timeout(PATIENCE_SECONDS):
            with pytest.raises(Unavailable, match="the database did not answer within"):
                await run_once(cast(AsyncEngine, silent), NOW)
        assert silent.left == 0

    run(control_home, None, use)
