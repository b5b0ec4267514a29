"""Tests that rules and notices go on after a clock was ahead and is corrected, on both databases."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import select, update

from backend.alerts.claimed_work import CLAIM_SECONDS, FreeSlots
from backend.alerts.claims import claim_due
from backend.alerts.clock_jumps import make_far_rules_due
from backend.alerts.content import MAX_INTERVAL_SECONDS, Comparison, Condition
from backend.alerts.notice_limits import HOUR_NS, remove_old
from backend.alerts.outbox import LONGEST_PAUSE_SECONDS, claim_notices, mark_failed, mark_sent
from backend.alerts.tests.world import NOW, World, content, run
from backend.alerts.transitions import State
from kit.clock import CLOCKS_APART
from kit.errors import RateLimited
from schema.control.alert_models import AlertNotice, AlertRule

MONTH_SECONDS = 30 * 86_400.0
APART_SECONDS = CLOCKS_APART.total_seconds()


async def while_ahead(world: World, do: Callable[[], Awaitable[object]], seconds: float = MONTH_SECONDS) -> None:
    world.clock.advance(seconds)
    await do()
    world.clock.advance(-seconds)


async def claims(world: World) -> int:
    """Claims all rules that are due, and returns their number."""
    return len(await claim_due(world.engine, world.clock.now_ns(), FreeSlots(1_000, 1_000), "claim"))


async def waiting(world: World) -> int:
    """Claims all notices that are due, and returns their number."""
    return len(await claim_notices(world.engine, world.clock.now_ns(), FreeSlots(1_000, 1_000), "claim"))


def test_a_rule_that_was_evaluated_in_the_future_is_evaluated_as_before(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await while_ahead(world, world.worker().evaluate_due)
        world.evaluated_at.clear()
        await world.minute({("web",): 9.0}, seconds=90)
        assert world.evaluated_at == []

        assert await make_far_rules_due(world.engine, world.clock.now_ns()) == 1
        assert await make_far_rules_due(world.engine, world.clock.now_ns()) == 0
        await world.worker().evaluate_due()
        await world.minute({("web",): 9.0}, seconds=30)
        assert world.evaluated_at == [NOW + 60 * 10**9, NOW + 120 * 10**9]
        stored = (await world.service.status(world.acme.tenant.id, rule.id)).rule
        assert (stored.state, stored.evaluated_at_ns) == (State.firing, NOW + 120 * 10**9)

    run(tmp_path, control_url, use)


@pytest.mark.parametrize("interval_seconds", [60, MAX_INTERVAL_SECONDS])
def test_due_times_that_a_clock_apart_may_write_stay(tmp_path: Path, control_url: str, interval_seconds: int) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content(interval_seconds=interval_seconds))
        latest_ns = NOW + round((interval_seconds + APART_SECONDS) * 10**9)
        for due_ns, number in ((latest_ns, 0), (latest_ns + 1, 1)):
            async with world.engine.begin() as connection:
                await connection.execute(update(AlertRule).values(due_ns=due_ns))
            assert await make_far_rules_due(world.engine, NOW) == number
        assert (await world.service.status(world.acme.tenant.id, rule.id)).rule.due_ns == NOW

    run(tmp_path, control_url, use)


def test_a_claim_in_the_future_does_not_hold(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await world.service.create(world.acme, content())
        world.clock.advance(60)
        await while_ahead(world, lambda: claims(world), APART_SECONDS)
        assert await claims(world) == 0, "the clock of the other worker may be ahead so far"
        world.clock.advance(APART_SECONDS + CLAIM_SECONDS)
        assert await claims(world) == 1
        world.clock.advance(CLAIM_SECONDS)
        await while_ahead(world, lambda: claims(world), APART_SECONDS + 1)
        assert await claims(world) == 1

    run(tmp_path, control_url, use)


def test_a_notice_that_was_tried_in_the_future_is_sent(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.service.test(world.acme, rule.id)

        async def fail() -> None:
            (claimed,) = await claim_notices(world.engine, world.clock.now_ns(), FreeSlots(8, 8), "claim")
            await mark_failed(world.engine, claimed, "gone", world.clock.now_ns(), is_final=False)

        async def set_due(seconds: float) -> None:
            async with world.engine.begin() as connection:
                await connection.execute(update(AlertNotice).values(due_ns=NOW + round(seconds * 10**9)))

        await while_ahead(world, fail)
        assert await waiting(world) == 1
        await set_due(LONGEST_PAUSE_SECONDS + APART_SECONDS)
        assert await waiting(world) == 0, "the clock of the other worker may be ahead so far"

    run(tmp_path, control_url, use)


def test_notices_of_the_future_do_not_count_for_the_hour_and_go_with_their_rule(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.alerts.notice_limits.MAX_HOURLY", 1)

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())

        async def send() -> None:
            await world.service.test(world.acme, rule.id)
            for each in await claim_notices(world.engine, world.clock.now_ns(), FreeSlots(8, 8), "claim"):
                await mark_sent(world.engine, each)

        await while_ahead(world, send)
        await while_ahead(world, send, APART_SECONDS)
        with pytest.raises(RateLimited, match="within an hour"):
            await send()
        await world.service.delete(world.acme, rule.id, None)
        world.clock.advance(HOUR_NS / 1e9 + APART_SECONDS)
        await remove_old(world.engine, world.clock.now_ns())
        async with world.engine.connect() as connection:
            assert (await connection.execute(select(AlertNotice.id))).all() == []

    run(tmp_path, control_url, use)


def test_a_group_that_is_pending_since_the_future_fires_after_its_time(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        silent = Condition("count()", Comparison.no_data, None)
        rule = await world.service.create(
            world.acme, content(query="| stats count()", condition=silent, for_seconds=120)
        )
        world.values = {(): None}
        await while_ahead(world, world.worker().evaluate_due)
        await make_far_rules_due(world.engine, world.clock.now_ns())
        await world.worker().evaluate_due()
        states = []
        for _ in range(2):
            await world.minute({(): None})
            states.append((await world.service.status(world.acme.tenant.id, rule.id)).rule.state)
        assert states == [State.pending, State.firing]

    run(tmp_path, control_url, use)
