"""Tests that lags count from the due time before an evaluation, and that claims and notices are read."""

import asyncio
from pathlib import Path

from sqlalchemy import update

from backend.alerts.claimed_work import FreeSlots
from backend.alerts.claims import claim_due
from backend.alerts.outbox import claim_notices
from backend.alerts.tests.world import NOW, World, content, run
from loadtest.alerts.watch import Evaluation, EvaluationWatch, RuleState, Snapshot, stored_between
from schema.control.alert_models import AlertRule


def snapshot(read_ns: int, **rules: RuleState) -> Snapshot:
    return Snapshot(started_ns=read_ns - 1, read_ns=read_ns, rules=rules, claimed_ns=(), waiting=0)


def test_a_lag_counts_from_the_due_time_that_was_stored_before() -> None:
    due, done, failed = RuleState(60, None, False), RuleState(120, 60, False), RuleState(120, 60, True)
    before = snapshot(50 * 10**9, kept=due, done=due, failed=due)
    after = snapshot(10**11 + 60, kept=due, done=done, failed=failed, new=done)
    found = stored_between(before, after)
    assert found == [Evaluation(100.0, False), Evaluation(100.0, True)]
    assert stored_between(after, after) == []


def test_evaluations_claims_and_waiting_notices_are_found(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await world.service.create(world.acme, content())
        with EvaluationWatch(world.settings, [world.acme.tenant.id], world.clock) as watch:
            assert (await asyncio.to_thread(watch.snapshot)).claimed_ns == ()
            async with world.engine.begin() as connection:
                await connection.execute(update(AlertRule).values(due_ns=NOW))
            await asyncio.to_thread(watch.snapshot)
            await claim_due(world.engine, NOW, FreeSlots(8, 8), "a claim")
            assert (await asyncio.to_thread(watch.snapshot)).claimed_ns == (NOW,)
            async with world.engine.begin() as connection:
                await connection.execute(update(AlertRule).values(claimed_until_ns=0))
            await world.minute({("web",): 9.0}, seconds=5)
            found = await asyncio.to_thread(watch.snapshot)
            assert (found.waiting, found.claimed_ns) == (1, ())
            await claim_notices(world.engine, world.clock.now_ns(), FreeSlots(8, 8), "claim")
            found = await asyncio.to_thread(watch.snapshot)
            assert (found.waiting, found.claimed_ns) == (1, (NOW + 5 * 10**9,))
        assert [each.lag_seconds for each in watch.evaluations] == [5.0]
        with EvaluationWatch(world.settings, [world.other.tenant.id], world.clock) as of_another_tenant:
            found = await asyncio.to_thread(of_another_tenant.snapshot)
            assert (found.rules, found.claimed_ns, found.waiting) == ({}, (), 0)

    run(tmp_path, control_url, use)
