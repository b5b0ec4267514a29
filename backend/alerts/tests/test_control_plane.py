"""Tests that a worker gives a rule or notice up when the control plane never answers, and continues meanwhile and
afterwards."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.claimed_work import CLAIM_SECONDS
from backend.alerts.claims import store_result
from backend.alerts.evaluator import Evaluator
from backend.alerts.outbox import mark_sent
from backend.alerts.repository import Rule
from backend.alerts.sender import Sender
from backend.alerts.tests.receiver import Receiver
from backend.alerts.tests.world import WhenDue, World, content, run
from backend.alerts.transitions import Observed, State
from kit.errors import Unavailable

PATIENCE_SECONDS = 30
SHORT_SECONDS = 0.2
"""Limit of a step in these tests. The other steps, which do answer, usually take less."""


async def never(*_: object) -> None:
    await asyncio.Event().wait()


@contextmanager
def unanswered(function: str) -> Iterator[None]:
    """Tests that the block fails because this function of backend.alerts waits for the control plane without end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.alerts.control_plane.ANSWER_SECONDS", SHORT_SECONDS)
        patch.setattr(f"backend.alerts.{function}", never)
        with pytest.raises(Unavailable, match="the database did not answer within"):
            yield


@pytest.mark.parametrize("step", ["claim_due", "read_state", "store_result"])
def test_a_rule_is_evaluated_again_after_a_step_without_an_answer(control_home: Path, step: str) -> None:
    async def observe(_rule: Rule, _at_ns: int) -> list[Observed]:
        return [Observed(("web",), 9.0)]

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        worker = Evaluator(world.settings, world.engine, WhenDue(observe), world.clock)
        world.clock.advance(60)
        async with asyncio.timeout(PATIENCE_SECONDS):
            with unanswered(f"evaluator.{step}"):
                await worker.evaluate_due()
            assert (await world.service.status(world.acme.tenant.id, rule.id)).rule.state is State.ok
            world.clock.advance(CLAIM_SECONDS)
            assert await worker.evaluate_due() == 1
        assert (await world.service.status(world.acme.tenant.id, rule.id)).rule.state is State.firing

    run(control_home, None, use)


@pytest.mark.parametrize("step", ["claim_notices", "mark_sent"])
def test_a_notice_is_sent_again_after_a_step_without_an_answer(control_home: Path, step: str) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        async with receiver.running(), Sender(world.settings, world.engine, world.clock) as sender:
            channel = Channel(ChannelKind.webhook, receiver.url)
            rule = await world.service.create(world.acme, content(channels=(channel,)))
            await world.service.test(world.acme, rule.id)
            async with asyncio.timeout(PATIENCE_SECONDS):
                with unanswered(f"sender.{step}"):
                    await sender.send_due()
                world.clock.advance(CLAIM_SECONDS)
                assert await sender.send_due() == 1
        _, (notice,) = await world.service.history(world.acme.tenant.id, rule.id)
        assert notice.state == "sent"

    run(control_home, None, use, alerts_webhook_networks="127.0.0.0/8")


class FirstHangs:
    """A function whose first call waits until `may_answer` is set. `hangs` is set when the first call waits."""

    def __init__(self, function: Callable[..., Awaitable[Any]]) -> None:
        self._function = function
        self.hangs, self.may_answer = asyncio.Event(), asyncio.Event()

    async def __call__(self, *arguments: Any) -> Any:
        if not self.hangs.is_set():
            self.hangs.set()
            await self.may_answer.wait()
        return await self._function(*arguments)


@pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)
def test_a_connection_that_hangs_delays_no_other_rule(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    storing = FirstHangs(store_result)
    monkeypatch.setattr("backend.alerts.evaluator.store_result", storing)

    async def use(world: World) -> None:
        for name in ("First", "Second"):
            await world.service.create(world.acme, content(name=name))
        worker = world.worker()
        world.values = {("web",): 9.0}
        world.clock.advance(600)

        async def states() -> list[State]:
            return sorted(each.state for each in await world.service.rules(world.acme.tenant.id))

        async with asyncio.timeout(PATIENCE_SECONDS):
            evaluating = asyncio.create_task(worker.evaluate_due())
            await storing.hangs.wait()
            while await states() != [State.firing, State.ok]:
                await asyncio.sleep(0.01)
            await worker.renew()
            storing.may_answer.set()
            await evaluating
            assert await states() == [State.firing, State.firing]

    run(tmp_path, control_url, use)


@pytest.mark.parametrize("control_url", ["postgresql"], indirect=True)
def test_a_connection_that_hangs_delays_no_other_notice(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    marking = FirstHangs(mark_sent)
    monkeypatch.setattr("backend.alerts.sender.mark_sent", marking)

    async def use(world: World) -> None:
        receiver = Receiver()
        async with receiver.running(), Sender(world.settings, world.engine, world.clock) as sender:
            channels = (Channel(ChannelKind.webhook, receiver.url), Channel(ChannelKind.slack, receiver.url))
            rule = await world.service.create(world.acme, content(channels=channels))
            await world.service.test(world.acme, rule.id)

            async def states() -> list[str]:
                return sorted(each.state for each in (await world.service.history(world.acme.tenant.id, rule.id))[1])

            async with asyncio.timeout(PATIENCE_SECONDS):
                sending = asyncio.create_task(sender.send_due())
                await marking.hangs.wait()
                while await states() != ["sent", "waiting"]:
                    await asyncio.sleep(0.01)
                await sender.renew()
                marking.may_answer.set()
                await sending
                assert await states() == ["sent", "sent"]

    run(tmp_path, control_url, use, alerts_webhook_networks="127.0.0.0/8")
