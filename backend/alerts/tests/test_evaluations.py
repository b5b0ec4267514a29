"""Tests how rules are evaluated, on both databases: states, history, notices, claims of several workers."""

import asyncio
import math
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from backend.alerts.claimed_work import CLAIM_SECONDS, FreeSlots
from backend.alerts.claims import claim_due, store_result
from backend.alerts.content import Comparison, Condition
from backend.alerts.evaluator import Evaluator
from backend.alerts.notices import NoticeKind, notice_from_json
from backend.alerts.observe import _number
from backend.alerts.repository import Rule
from backend.alerts.schedule import last_due
from backend.alerts.tests.world import NOW, WhenDue, World, content, run
from backend.alerts.transitions import Evaluated, Group, GroupState, Observed, Result, State
from backend.stats.schemas import Cell
from backend.tenants.service import TenantService
from kit.errors import Unavailable
from schema.control.alert_models import AlertNotice

WEB: Group = ("web",)
PAY: Group = ("pay",)


async def notices(world: World) -> list[tuple[str, Group]]:
    """Returns the kind and the group of each notice, oldest first."""
    async with world.engine.connect() as connection:
        rows = await connection.execute(select(AlertNotice.content).order_by(AlertNotice.created_at_ns))
        found = [notice_from_json(text) for (text,) in rows]
    return [(str(each.kind), each.group) for each in found]


def test_a_group_fires_after_its_condition_held_long_enough(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content(for_seconds=120))
        states = []
        for values in ({WEB: 6.0}, {WEB: 9.0}, {WEB: 7.0, PAY: 5.0}, {PAY: 2.0}):
            await world.minute(values)
            states.append((await world.service.status(world.acme.tenant.id, rule.id)).rule.state)

        assert states == [State.pending, State.pending, State.firing, State.ok]
        assert await notices(world) == [("firing", WEB), ("resolved", WEB)]
        events, _ = await world.service.history(world.acme.tenant.id, rule.id)
        assert [(each.event.before, each.event.after) for each in reversed(events)] == [
            (State.ok, State.pending),
            (State.pending, State.firing),
            (State.firing, State.ok),
        ]

    run(tmp_path, control_url, use)


def test_a_late_rule_is_evaluated_once_at_the_last_due_time(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await world.service.create(world.acme, content())
        await world.minute({}, seconds=605)
        await world.worker().evaluate_due()

        assert world.evaluated_at == [NOW + 600 * 10**9]

        await world.minute({}, seconds=54)
        assert len(world.evaluated_at) == 1
        await world.minute({}, seconds=1)
        assert world.evaluated_at[1:] == [NOW + 660 * 10**9]

    run(tmp_path, control_url, use)


def test_each_evaluation_is_done_by_one_of_several_workers(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        for number in range(20):
            await world.service.create(world.acme, content(name=f"Rule {number}"))
        world.values = {WEB: 6.0}
        world.clock.advance(60)

        async def work() -> int:
            worker, done = world.worker(), 0
            while count := await worker.evaluate_due():
                done += count
            return done

        assert sum(await asyncio.gather(*[work() for _ in range(4)])) == 20
        assert len(await notices(world)) == 20

    run(tmp_path, control_url, use)


def test_the_rule_of_a_worker_that_died_is_evaluated_by_another(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await world.service.create(world.acme, content())
        world.clock.advance(60)
        (dead,) = await claim_due(world.engine, world.clock.now_ns(), FreeSlots(8, 8), "dead")

        await world.minute({WEB: 6.0}, seconds=CLAIM_SECONDS - 1)
        assert await notices(world) == []
        await world.minute({WEB: 6.0}, seconds=1)
        assert await notices(world) == [("firing", WEB)]

        late = Result(NOW, Evaluated(State.firing, (GroupState(PAY, State.firing, NOW, 9.0),), ()))
        assert not await store_result(world.engine, dead, late, world.clock.now_ns(), "late")
        assert await notices(world) == [("firing", WEB)]

    run(tmp_path, control_url, use)


def test_a_tenant_with_many_due_rules_leaves_slots_for_another(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        for number in range(10):
            await world.service.create(world.acme, content(name=f"Rule {number}"))
        world.clock.advance(60)
        await world.service.create(world.other, content())
        world.clock.advance(60)
        acme, other = world.acme.tenant.id, world.other.tenant.id

        async def claim(slots: FreeSlots) -> list[int]:
            claimed = await claim_due(world.engine, world.clock.now_ns(), slots, "claim")
            return sorted(each.tenant_id for each in claimed)

        assert await claim(FreeSlots(4, 2)) == sorted([acme, acme, other])
        assert await claim(FreeSlots(4, 2, {acme: 1, other: 1})) == [acme]
        assert await claim(FreeSlots(4, 2, {acme: 2, other: 1})) == []

    run(tmp_path, control_url, use)


def test_a_slow_evaluation_keeps_its_rule_while_its_worker_lives(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await world.service.create(world.acme, content())
        started, released = asyncio.Event(), asyncio.Event()

        async def observe(_rule: Rule, _at_ns: int) -> list[Observed]:
            started.set()
            await released.wait()
            return [Observed(WEB, 6.0)]

        slow = Evaluator(world.settings, world.engine, WhenDue(observe), world.clock)
        world.clock.advance(60)
        evaluation = asyncio.create_task(slow.evaluate_due())
        await started.wait()
        for _ in range(2):
            world.clock.advance(CLAIM_SECONDS - 1)
            assert await world.worker().evaluate_due() == 0
            await slow.renew()
        released.set()

        assert await evaluation == 1
        assert await notices(world) == [("firing", WEB)]

    run(tmp_path, control_url, use)


def test_a_muted_rule_sends_its_notice_when_the_mute_ends(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.service.mute(world.acme, rule.id, NOW + 90 * 10**9)
        await world.minute({WEB: 6.0, PAY: 6.0})
        assert await notices(world) == []
        await world.minute({WEB: 6.0})
        await world.minute({})

        assert await notices(world) == [("firing", WEB), ("resolved", WEB)]

    run(tmp_path, control_url, use)


def test_an_error_keeps_the_groups_and_is_in_the_history(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.minute({WEB: 6.0})
        await world.minute(Unavailable("ClickHouse did not answer"))
        status = await world.service.status(world.acme.tenant.id, rule.id)
        await world.minute({WEB: 6.0})

        assert (status.rule.state, status.rule.detail) == (State.error, "ClickHouse did not answer")
        assert [each.group for each in status.groups] == [WEB]
        assert await notices(world) == [("firing", WEB)]
        events, _ = await world.service.history(world.acme.tenant.id, rule.id)
        assert [(each.event.group, each.event.after) for each in events[:2]] == [
            (None, State.firing),
            (None, State.error),
        ]

    run(tmp_path, control_url, use)


def test_no_data_fires_and_is_a_state_of_its_own_for_comparisons(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        absent = Condition("count()", Comparison.no_data, None)
        silent = await world.service.create(world.acme, content(query="| stats count()", condition=absent))
        mean = Condition("avg(ms)", Comparison.above, 5.0)
        slow = await world.service.create(
            world.acme, content(name="Slow", query="| stats avg(ms)", condition=mean, channels=())
        )
        await world.minute({(): None})

        tenant = world.acme.tenant.id
        assert (await world.service.status(tenant, silent.id)).rule.state is State.firing
        assert (await world.service.status(tenant, slow.id)).rule.state is State.no_data
        assert await notices(world) == [("firing", ())]

    run(tmp_path, control_url, use)


def test_a_deleted_or_changed_rule_resolves_what_it_reported(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.minute({WEB: 6.0})
        changed = await world.service.change(
            world.acme, rule.id, content(for_seconds=60, channels=()), 1, keeps_channels=True
        )
        assert changed.content.channels == rule.content.channels
        assert [kind for kind, _ in await notices(world)] == [NoticeKind.firing, NoticeKind.resolved]
        await world.minute({WEB: 6.0})
        await world.minute({WEB: 6.0})
        world.clock.advance(1)
        await world.service.delete(world.acme, rule.id, None)

        assert [kind for kind, _ in await notices(world)][-2:] == [NoticeKind.firing, NoticeKind.resolved]

    run(tmp_path, control_url, use)


def test_the_history_has_the_states_that_a_change_of_the_rule_ended(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.minute({WEB: 6.0})
        await world.minute(Unavailable("ClickHouse did not answer"))
        await world.service.change(world.acme, rule.id, content(), 1, keeps_channels=True)

        events, _ = await world.service.history(world.acme.tenant.id, rule.id)
        assert [(each.event.group, each.event.before, each.event.after) for each in events] == [
            (WEB, State.firing, State.ok),
            (None, State.error, State.ok),
            (None, State.firing, State.error),
            (WEB, State.ok, State.firing),
        ]

    run(tmp_path, control_url, use)


def test_rules_of_deleted_tenants_are_not_evaluated(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await world.service.create(world.acme, content())
        await TenantService(world.engine, world.clock).delete_tenant("acme")
        await world.minute({WEB: 6.0})

        assert world.evaluated_at == []

    run(tmp_path, control_url, use)


def test_a_result_of_a_rule_that_was_changed_meanwhile_is_not_stored(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        world.clock.advance(60)
        (claimed,) = await claim_due(world.engine, world.clock.now_ns(), FreeSlots(8, 8), "slow")
        edited = replace(rule.content, name="Renamed")
        await world.service.change(world.acme, rule.id, edited, 1, keeps_channels=False)
        result = Result(NOW, Evaluated(State.firing, (GroupState(WEB, State.firing, NOW, 9.0),), ()))

        assert not await store_result(world.engine, claimed, result, world.clock.now_ns(), "slow")
        assert (await world.service.status(world.acme.tenant.id, rule.id)).rule.state is State.ok

    run(tmp_path, control_url, use)


def test_rules_of_one_interval_are_due_at_different_seconds_of_it() -> None:
    seconds = set()
    for number in range(120):
        id = f"{number:012x}"
        due = last_due(id, 60, NOW + 5)
        assert NOW - 60 * 10**9 < due <= NOW + 5
        assert last_due(id, 60, due + 60 * 10**9 - 1) == due
        seconds.add(due // 10**9 % 60)
    assert len(seconds) == 60


@pytest.mark.parametrize(("cell", "number"), [(3, 3.0), ("inf", math.inf), ("nan", None), (None, None)])
def test_a_value_that_is_not_a_number_is_none(cell: Cell, number: float | None) -> None:
    assert _number(cell) == number
