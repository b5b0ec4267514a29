"""Tests that only the present claim of a notice decides what happens to it, on both databases."""

import asyncio
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import select

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.claimed_work import CLAIM_SECONDS, FreeSlots, claimed_until
from backend.alerts.outbox import FIRST_PAUSE_SECONDS, Outgoing, claim_notices, mark_failed, renew_notices
from backend.alerts.sender import Sender
from backend.alerts.tests.receiver import Receiver
from backend.alerts.tests.sending import send, with_test_notice
from backend.alerts.tests.world import World, run
from schema.control.alert_models import AlertNotice

PATIENCE_SECONDS = 60


class Attempted(NamedTuple):
    """Attempts of a notice, and the time from which it may be claimed."""

    attempts: int
    due_ns: int


async def stored(world: World) -> Attempted:
    async with world.engine.connect() as connection:
        row = (await connection.execute(select(AlertNotice.attempts, AlertNotice.due_ns))).one()
        return Attempted(*row)


def test_a_worker_that_lost_a_claim_neither_renews_it_nor_stores_a_failure(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await with_test_notice(world, Channel(ChannelKind.webhook, "https://hooks.example.com/"))

        async def claimed(claim: str) -> Outgoing:
            world.clock.advance(CLAIM_SECONDS)
            (found,) = await claim_notices(world.engine, world.clock.now_ns(), FreeSlots(8, 8), claim)
            return found

        lost, held = await claimed("first"), await claimed("second")
        until = Attempted(0, claimed_until(world.clock.now_ns()))
        world.clock.advance(1)
        now_ns = world.clock.now_ns()
        await mark_failed(world.engine, lost, "gone", now_ns, is_final=False)
        await renew_notices(world.engine, {lost.id: lost.claim}, now_ns)
        assert await stored(world) == until
        await renew_notices(world.engine, {held.id: held.claim}, now_ns)
        assert await stored(world) == Attempted(0, claimed_until(now_ns))
        await mark_failed(world.engine, held, "gone", now_ns, is_final=False)
        next_attempt = Attempted(1, now_ns + round(FIRST_PAUSE_SECONDS * 1e9))
        assert await stored(world) == next_attempt
        await renew_notices(world.engine, {held.id: held.claim}, now_ns)
        assert await stored(world) == next_attempt, "a renewal that is late keeps the time of the next attempt"

    run(tmp_path, control_url, use)


def test_a_worker_does_not_claim_a_notice_that_it_is_sending(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.alerts.claimed_work.POLL_SECONDS", 0)

    async def use(world: World) -> None:
        receiver = Receiver()
        receiver.answers.clear()
        async with asyncio.timeout(PATIENCE_SECONDS), receiver.running():
            read = await with_test_notice(world, Channel(ChannelKind.webhook, receiver.url))
            async with Sender(world.settings, world.engine, world.clock) as sender:
                assert await sender.send_due(0) == 1
                await receiver.asked.wait()
                world.clock.advance(CLAIM_SECONDS)  # The claim was not renewed, for example because of an outage.
                assert await sender.send_due(0) == 0
                receiver.answers.set()
            assert await send(world) == 0
        (notice,) = await read()
        assert (notice.state, notice.attempts, len(receiver.requests)) == ("sent", 1, 1)

    run(tmp_path, control_url, use, alerts_webhook_networks="127.0.0.0/8")
