"""Tests that a worker gives a rule or notice up when the control plane never answers, and continues afterwards."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.claimed_work import CLAIM_SECONDS
from backend.alerts.evaluator import Evaluator
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
