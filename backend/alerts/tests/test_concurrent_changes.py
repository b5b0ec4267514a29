"""Tests rules that change, or are claimed again, while an evaluation of them is under way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from backend.alerts.claimed_work import CLAIM_SECONDS
from backend.alerts.evaluator import Evaluator
from backend.alerts.notices import NoticeKind, notice_of
from backend.alerts.outbox import Added, add_notices
from backend.alerts.repository import Rule
from backend.alerts.tests.test_evaluations import WEB, notices
from backend.alerts.tests.world import WhenDue, World, content, run
from backend.alerts.transitions import GroupState, Observed, State
from schema.control.alert_models import AlertGroup
from schema.control.erase_rows import erase_rows
from tests.control_database import until_waiting, waits_for_a_lock


@asynccontextmanager
async def storing_a_result(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Within the block, a worker stores that the group WEB fires. Its transaction ends when a statement of another
    transaction waits for it, which the block must have started."""
    storing, may_store = asyncio.Event(), asyncio.Event()

    async def held(*arguments: Any) -> Added:
        storing.set()
        await may_store.wait()
        return await add_notices(*arguments)

    monkeypatch.setattr("backend.alerts.apply.add_notices", held)
    async with asyncio.timeout(60):
        evaluating = asyncio.create_task(world.minute({WEB: 6.0}))
        await storing.wait()
        yield
        while not await waits_for_a_lock(world.engine):
            await asyncio.sleep(0.01)
        may_store.set()
        await evaluating


@pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)
def test_a_rule_that_is_deleted_while_a_result_is_stored_leaves_no_group_unresolved(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        async with storing_a_result(world, monkeypatch):
            deleting = asyncio.create_task(world.service.delete(world.acme, rule.id, None))
        await deleting
        assert await notices(world) == [("firing", WEB), ("resolved", WEB)]
        async with world.engine.connect() as connection:
            assert (await connection.execute(select(AlertGroup.__table__))).all() == []

    run(tmp_path, control_url, use)


@pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)
def test_a_tenant_that_is_erased_while_a_result_is_stored_leaves_no_rows(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(world: World) -> None:
        await world.service.create(world.acme, content())

        async def erase() -> dict[str, tuple[int, int]]:
            async with world.engine.begin() as connection:
                return await erase_rows(connection, world.acme.tenant.id)

        async with storing_a_result(world, monkeypatch):
            erasing = asyncio.create_task(erase())
        found = {table: before for table, (before, _) in (await erasing).items() if table.startswith("alert_")}
        assert found == {"alert_rule": 1, "alert_group": 1, "alert_event": 1, "alert_notice": 1}

    run(tmp_path, control_url, use)


@pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)
def test_concurrent_evaluations_write_no_more_notices_than_may_wait(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.alerts.notice_limits.MAX_WAITING", 3)

    async def use(world: World) -> None:
        rules = [await world.service.create(world.acme, content(name=name)) for name in ("First", "Second")]
        two = [notice_of(rules[0], NoticeKind.firing, GroupState(WEB, State.firing, 0, 6.0), 6.0, 0)] * 2

        async def add(rule: Rule) -> Added:
            async with world.engine.begin() as connection:
                return await add_notices(connection, rule, two, rule.id, world.clock.now_ns())

        async with asyncio.timeout(60):
            async with world.engine.begin() as connection:
                first = await add_notices(connection, rules[0], two, "first", world.clock.now_ns())
                adding = asyncio.create_task(add(rules[1]))
                await until_waiting(adding, world.engine)
            second = await adding
        assert (len(first.ids), len(second.ids), sum(second.left_out.values())) == (2, 1, 1)

    run(tmp_path, control_url, use)


def test_an_evaluation_that_ends_late_keeps_the_claim_of_the_next(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end_runs_after(seconds: float) -> None:
        """Makes a run of the worker end when an evaluation has ended, or after `seconds`."""
        monkeypatch.setattr("backend.alerts.claimed_work.POLL_SECONDS", seconds)

    async def use(world: World) -> None:
        await world.service.create(world.acme, content())
        begun: list[asyncio.Event] = []
        may_end = [asyncio.Event(), asyncio.Event()]

        async def observe(_rule: Rule, _at_ns: int) -> list[Observed]:
            number = len(begun)
            begun.append(asyncio.Event())
            begun[number].set()
            await may_end[number].wait()
            return []

        async def until(count: int) -> None:
            while len(begun) < count:
                await asyncio.sleep(0.001)

        worker = Evaluator(world.settings, world.engine, WhenDue(observe), world.clock)
        async with asyncio.timeout(60):
            end_runs_after(0)
            world.clock.advance(60)
            assert await worker.evaluate_due(0) == 1
            await until(1)
            world.clock.advance(CLAIM_SECONDS + 60)
            assert await worker.evaluate_due(0) == 1
            await until(2)
            end_runs_after(60)
            may_end[0].set()
            assert await worker.evaluate_due(0) == 0
            await worker.renew()
            world.clock.advance(CLAIM_SECONDS - 1)
            assert await world.worker().evaluate_due() == 0, "the second evaluation still holds the rule"
            may_end[1].set()
            assert await worker.evaluate_due(0) == 0

    run(tmp_path, control_url, use)
