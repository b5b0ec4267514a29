"""Tests that the loops of an alert worker say in a sentence what they wait for, and then go on by themselves."""

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from backend.alerts.clock_jumps import make_far_rules_due
from backend.alerts.evaluator import Evaluator
from backend.alerts.repository import Rule
from backend.alerts.tests.world import NOW, WhenDue
from backend.alerts.transitions import Observed
from kit.clock import ManualClock
from kit.loop_health import run_ages
from kit.repeating import RepeatingTask
from kit.settings import Settings
from schema.control.database import opened
from schema.migrate import upgrade_control_tables

PATIENCE_SECONDS = 30


async def nothing(_rule: Rule, _at_ns: int) -> list[Observed]:
    return []


@pytest.mark.parametrize("work", ["evaluations", "clock jumps"])
def test_a_loop_waits_for_the_migration_of_the_control_plane(
    tmp_path: Path, empty_control_url: str, work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kit.repeating.AFTER_ERROR_SECONDS", 0.001)
    settings = Settings(home=tmp_path, control_url=empty_control_url)

    async def body() -> None:
        async with opened(settings.control_plane_url) as engine, asyncio.timeout(PATIENCE_SECONDS):
            evaluator = Evaluator(settings, engine, WhenDue(nothing), ManualClock(NOW))
            runs = {"evaluations": evaluator.evaluate_due, "clock jumps": lambda: make_far_rules_due(engine, NOW)}
            # The name is a new one in each test, because the ages of loops belong to the process.
            name = f"{work} of {empty_control_url}"
            loop = RepeatingTask(name, 0.001, runs[work])
            with capture_logs() as logged:
                loop.start()
                while not logged:
                    await asyncio.sleep(0.001)
            (line,) = logged
            assert (line["log_level"], line.get("exc_info")) == ("warning", None)
            assert line["reason"].startswith("the control plane was not migrated: ")
            assert line["reason"].endswith("; run `logsieve migrate`")

            async with engine.begin() as connection:
                await connection.run_sync(upgrade_control_tables)
            while name not in run_ages():
                await asyncio.sleep(0.001)
            await loop.cancel()

    asyncio.run(body())
