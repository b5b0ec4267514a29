"""Tests that every firing is reported under one id, even if workers are killed between any two steps."""

import asyncio
import os
import random
from collections import Counter
from pathlib import Path

from sqlalchemy import select, update

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.tests.receiver import Receiver
from backend.alerts.tests.world import World, content, run
from schema.control.alert_models import AlertNotice, AlertRule
from tests.chance import SEED, repetitions
from tests.forked_module import ForkedModule

RULES = 20
KILLS = repetitions(50)
WORKER_SECONDS = 60.0


async def ended(world: World, seed: int, log: Path) -> int:
    """Runs a worker after all claims have expired, and returns its exit code. The process logs into `log`."""
    async with world.engine.begin() as connection:
        await connection.execute(update(AlertRule).values(claimed_until_ns=0))
        await connection.execute(update(AlertNotice).where(AlertNotice.state == "waiting").values(due_ns=0))
    command = ("backend.alerts.tests.mortal_worker", world.settings.control_plane_url, str(seed))
    return await asyncio.to_thread(ForkedModule(command, os.environ, log).wait, WORKER_SECONDS)


def test_every_firing_is_reported_under_one_id(tmp_path: Path, control_url: str) -> None:
    log = tmp_path / "workers.log"

    async def use(world: World) -> None:
        receiver = Receiver()
        async with receiver.running():
            channel = Channel(ChannelKind.webhook, receiver.url)
            rules = {
                (await world.service.create(world.acme, content(name=f"Rule {number}", channels=(channel,)))).id
                for number in range(RULES)
            }
            killed, chance = 0, random.Random(SEED)
            while killed < KILLS:
                async with world.engine.begin() as connection:
                    await connection.execute(update(AlertRule).values(due_ns=0))
                killed += await ended(world, chance.randrange(1, 2**32), log) < 0
            assert await ended(world, 0, log) == 0, log.read_text()
        async with world.engine.connect() as connection:
            notices = (await connection.execute(select(AlertNotice.rule_id, AlertNotice.id, AlertNotice.state))).all()
        assert Counter(rule for rule, _, _ in notices) == dict.fromkeys(rules, 1)
        assert {state for _, _, state in notices} == {"sent"}
        assert {received for received, _, _ in receiver.requests} == {notice for _, notice, _ in notices}

    run(tmp_path, control_url, use)
