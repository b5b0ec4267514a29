"""A worker that kills itself at a random step: `python -m backend.alerts.tests.mortal_worker CONTROL_URL SEED`.

Every rule has one group above its threshold. The worker ends when no rule and no notice is due.
"""

import asyncio
import os
import random
import signal
import sys

from backend.alerts.evaluator import Evaluator
from backend.alerts.repository import Rule
from backend.alerts.sender import Sender
from backend.alerts.tests.world import WhenDue
from backend.alerts.transitions import Observed
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.database import opened


async def work(settings: Settings, seed: int) -> None:
    """Evaluates rules and sends notices until none is due. Each step kills the process with a probability of 5 %; with
    seed 0, no step does."""
    chance, clock = random.Random(seed), SystemClock()

    def step() -> None:
        if seed and chance.random() < 0.05:
            os.kill(os.getpid(), signal.SIGKILL)

    async def observe(_rule: Rule, _at_ns: int) -> list[Observed]:
        step()
        return [Observed(("web",), 9.0)]

    async with opened(settings.control_plane_url) as engine, Sender(settings, engine, clock) as sender:
        evaluator = Evaluator(settings, engine, WhenDue(observe), clock)
        while await evaluator.evaluate_due() + await sender.send_due():
            step()


if __name__ == "__main__":
    url, text = sys.argv[1:]
    asyncio.run(
        work(Settings(control_url=url, alerts_webhook_networks="127.0.0.0/8", alerts_max_concurrent=3), int(text))
    )
