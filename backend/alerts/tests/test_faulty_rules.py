"""Tests that a rule or notice that always fails, or cannot be read, holds up no other one."""

import asyncio
import threading
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.claimed_work import CLAIM_SECONDS, FreeSlots
from backend.alerts.claims import Claimed, claim_due, store_result
from backend.alerts.evaluation_times import EvaluationTimes
from backend.alerts.evaluator import FAULT_DETAIL, Evaluator
from backend.alerts.observe import RuleQueries
from backend.alerts.outbox import FIRST_PAUSE_SECONDS, MAX_ATTEMPTS
from backend.alerts.repository import Rule
from backend.alerts.sender import Sender
from backend.alerts.stored_until import StoredUntil
from backend.alerts.tests.receiver import Receiver
from backend.alerts.tests.sending import with_test_notice
from backend.alerts.tests.world import NOW, WhenDue, World, content, run
from backend.alerts.transitions import Group, Observed, Result, State
from backend.answers.resources import Resources
from backend.stats.tests.services import stats_service
from backend.store.tests.fake_log_store import FakeLogStore
from kit.errors import InvalidQuery, Unavailable
from schema.control.alert_models import AlertNotice, AlertRule
from schema.control.directory import Directory

WEB: Group = ("web",)


async def fails(rule: Rule, _at_ns: int) -> list[Observed]:
    """Observes a group above the threshold. Fails for rules named Bad."""
    await asyncio.sleep(0)
    if rule.content.name == "Bad":
        raise RecursionError("/srv/logsieve/backend/language: maximum recursion depth exceeded")
    return [Observed(WEB, 9.0)]


async def two_rules(world: World) -> tuple[Rule, Rule]:
    """Returns a rule of acme named Bad, which is due first, and a rule of the other tenant."""
    bad = await world.service.create(world.acme, content(name="Bad"))
    good = await world.service.create(world.other, content())
    return bad, good


def test_a_rule_that_fails_unexpectedly_gets_state_error_and_holds_up_no_other(
    tmp_path: Path, control_url: str
) -> None:
    async def use(world: World) -> None:
        bad, good = await two_rules(world)
        # With one slot, the bad rule is evaluated first and alone.
        alone = world.settings.model_copy(update={"alerts_max_concurrent": 1})
        world.clock.advance(60)
        assert await Evaluator(alone, world.engine, WhenDue(fails), world.clock).evaluate_due() == 2

        failed = (await world.service.status(world.acme.tenant.id, bad.id)).rule
        assert (failed.state, failed.detail) == (State.error, FAULT_DETAIL)
        assert failed.due_ns == NOW + 120 * 10**9
        assert (await world.service.status(world.other.tenant.id, good.id)).rule.state is State.firing
        ((event,), _) = await world.service.history(world.acme.tenant.id, bad.id)
        assert (event.event.after, event.event.detail) == (State.error, FAULT_DETAIL)

        world.clock.advance(60)
        assert await Evaluator(alone, world.engine, WhenDue(fails), world.clock).evaluate_due() == 2

    run(tmp_path, control_url, use)


def test_a_result_that_cannot_be_stored_gets_state_error(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refusing(engine: AsyncEngine, claimed: Claimed, result: Result, now_ns: int, token: str) -> bool:
        if result.evaluated is not None and claimed.rule.content.name == "Bad":
            raise ValueError("out of range")
        return await store_result(engine, claimed, result, now_ns, token)

    async def observe(_rule: Rule, _at_ns: int) -> list[Observed]:
        return [Observed(WEB, 9.0)]

    monkeypatch.setattr("backend.alerts.evaluator.store_result", refusing)

    async def use(world: World) -> None:
        bad, good = await two_rules(world)
        world.clock.advance(60)
        assert await Evaluator(world.settings, world.engine, WhenDue(observe), world.clock).evaluate_due() == 2
        assert (await world.service.status(world.acme.tenant.id, bad.id)).rule.detail == FAULT_DETAIL
        assert (await world.service.status(world.other.tenant.id, good.id)).rule.state is State.firing

    run(tmp_path, control_url, use)


@pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)
def test_a_reason_that_the_control_plane_refuses_does_not_keep_a_rule_due(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.minute(InvalidQuery("PostgreSQL stores no NUL: \0", 0))
        stored = (await world.service.status(world.acme.tenant.id, rule.id)).rule
        assert (stored.state, stored.detail) == (State.error, FAULT_DETAIL)
        assert stored.due_ns == NOW + 120 * 10**9

    run(tmp_path, control_url, use)


def test_a_rule_keeps_its_state_while_the_control_plane_is_unreachable(control_home: Path) -> None:
    async def away(*_: object) -> bool:
        raise OperationalError("UPDATE alert_rule", {}, Exception("no connection"))

    async def use(world: World) -> None:
        bad, good = await two_rules(world)
        world.clock.advance(60)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("backend.alerts.evaluator.store_result", away)
            with pytest.raises(Unavailable, match="no connection"):
                await Evaluator(world.settings, world.engine, WhenDue(fails), world.clock).evaluate_due()
        for caller, rule in ((world.acme, bad), (world.other, good)):
            stored = (await world.service.status(caller.tenant.id, rule.id)).rule
            assert (stored.state, stored.due_ns) == (State.ok, rule.due_ns)

    run(control_home, None, use)


def test_a_rule_whose_result_was_not_stored_becomes_free_while_the_others_of_its_claim_are_renewed(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The run of the worker ends with the evaluation that fails, not before it.
    monkeypatch.setattr("backend.alerts.claimed_work.POLL_SECONDS", 60)

    async def use(world: World) -> None:
        bad, _ = await two_rules(world)
        is_slow = asyncio.Event()

        async def observe(rule: Rule, _at_ns: int) -> list[Observed]:
            if rule.id == bad.id:
                raise OperationalError("UPDATE alert_rule", {}, Exception("no connection"))
            is_slow.set()
            await asyncio.Event().wait()
            return []

        worker = Evaluator(world.settings, world.engine, WhenDue(observe), world.clock)
        world.clock.advance(60)
        with pytest.raises(OperationalError):
            await worker.evaluate_due(0)
        await is_slow.wait()
        world.clock.advance(CLAIM_SECONDS - 1)
        await worker.renew()
        world.clock.advance(1)
        free = await claim_due(world.engine, world.clock.now_ns(), FreeSlots(8, 8), "next")
        assert [each.rule.id for each in free] == [bad.id]
        await worker.aclose()

    run(tmp_path, control_url, use)


def test_a_stored_rule_that_cannot_be_read_holds_up_no_other(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        bad, good = await two_rules(world)
        async with world.engine.begin() as connection:
            await connection.execute(update(AlertRule).where(AlertRule.id == bad.id).values(comparison="newer"))
        world.clock.advance(60)
        assert await Evaluator(world.settings, world.engine, WhenDue(fails), world.clock).evaluate_due() == 1
        assert (await world.service.status(world.other.tenant.id, good.id)).rule.state is State.firing

    run(tmp_path, control_url, use)


def test_a_stored_notice_that_cannot_be_read_holds_up_no_other(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        async with receiver.running():
            channels = (Channel(ChannelKind.webhook, receiver.url),)
            for caller in (world.acme, world.other):
                rule = await world.service.create(caller, content(channels=channels))
                await world.service.test(caller, rule.id)
            async with world.engine.begin() as connection:
                of_acme = AlertNotice.tenant_id == world.acme.tenant.id
                await connection.execute(update(AlertNotice).where(of_acme).values(content="{}"))
            async with Sender(world.settings, world.engine, world.clock) as sender:
                assert await sender.send_due() == 1
        assert len(receiver.requests) == 1

    run(tmp_path, control_url, use, alerts_webhook_networks="127.0.0.0/8")


def test_a_claim_of_a_notice_that_cannot_be_read_is_no_attempt(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        receiver.statuses = [500]
        async with receiver.running(), Sender(world.settings, world.engine, world.clock) as sender:
            read = await with_test_notice(world, Channel(ChannelKind.webhook, receiver.url))
            async with world.engine.begin() as connection:
                known = await connection.scalar(select(AlertNotice.content))
                await connection.execute(update(AlertNotice).values(content="{}"))
            for _ in range(MAX_ATTEMPTS + 1):
                assert await sender.send_due() == 0
                world.clock.advance(CLAIM_SECONDS)
            async with world.engine.begin() as connection:
                await connection.execute(update(AlertNotice).values(content=known))
            assert await sender.send_due() == 1
            assert [(each.state, each.attempts) for each in await read()] == [("waiting", 1)]
            world.clock.advance(FIRST_PAUSE_SECONDS)
            assert await sender.send_due() == 1
        assert [(each.state, each.attempts) for each in await read()] == [("sent", 2)]

    run(tmp_path, control_url, use, alerts_webhook_networks="127.0.0.0/8")


def test_the_query_of_a_rule_is_not_parsed_on_the_event_loop(
    control_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = list[int]()

    def refuse(_: str) -> None:
        threads.append(threading.get_ident())
        raise InvalidQuery("seen", 0)

    monkeypatch.setattr("backend.alerts.observe.parse_stats", refuse)

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        directory, resources = (
            Directory(world.settings.control_plane_url, 60, world.clock),
            Resources.of(world.settings, world.clock),
        )
        stats = stats_service(world.settings, FakeLogStore([]), world.clock)
        times = EvaluationTimes(world.settings, directory, cast(StoredUntil, None), world.clock)
        await directory.start()
        try:
            with pytest.raises(InvalidQuery, match="seen"):
                await RuleQueries(directory, stats, resources.queries, times).observe(rule, NOW)
        finally:
            await directory.stop()
            resources.close()

    run(control_home, None, use)
    assert threads
    assert threading.get_ident() not in threads
