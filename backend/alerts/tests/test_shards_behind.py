"""Tests when rules are evaluated whose shard is further behind than another one."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import pytest
from sqlalchemy import select

from backend.alerts.evaluator import LONGEST_PUT_OFF_SECONDS, Evaluator
from backend.alerts.repository import Rule
from backend.alerts.tests.test_evaluation_times import SECOND, Counted, Stored, times
from backend.alerts.tests.world import World, content, run
from schema.control.alert_models import AlertRule

INTERVAL_SECONDS = 3_600


@dataclass
class TwoShards:
    """A rule over the range since its last evaluation, by default the last hour, and its worker. The records of its
    tenant are on shard 1. Shard 0 is behind only if the tenant's records are on both."""

    world: World
    rule: Rule
    stored: Stored
    counted: Counted
    worker: Evaluator

    @classmethod
    async def when_due(cls, world: World, *shards: int, interval_seconds: int = INTERVAL_SECONDS) -> Self:
        """Moves the clock to the first time at which the rule is due. Records of its tenant are on `shards`."""
        world.settings = world.settings.model_copy(update={"clickhouse_url": "http://a:8123,http://b:8123"})
        world.acme = replace(world.acme, tenant=replace(world.acme.tenant, shards=frozenset(shards or (1,))))
        without_gaps = content(interval_seconds=interval_seconds, range_seconds=interval_seconds)
        rule = await world.service.create(world.acme, without_gaps)
        stored = Stored({})
        counted = Counted(times(world, stored), stored, 2**62)
        worker = Evaluator(world.settings, world.engine, counted, world.clock)
        world.clock.advance((rule.due_ns - world.clock.now_ns()) / SECOND)
        return cls(world, rule, stored, counted, worker)

    async def evaluated(self, behind: float, advanced: float = 0) -> list[float]:
        """Moves the clock, then runs the worker while the shards of the tenant are this number of seconds behind.

        Returns the times as of which the rule was evaluated, in intervals after the first time at which it was due.
        """
        self.world.clock.advance(advanced)
        now_ns = self.world.clock.now_ns()
        shards = self.world.acme.tenant.shards
        self.stored.until_ns = {shard: now_ns - round(behind * SECOND) * (shard in shards) for shard in (0, 1)}
        await self.worker.evaluate_due()
        interval = self.rule.content.interval_seconds
        return [(each - self.rule.due_ns) / SECOND / interval for each in self.counted.evaluated_at_ns]

    async def put_off_seconds(self) -> float:
        """Returns the seconds until a worker may claim the rule again."""
        async with self.world.engine.connect() as connection:
            free_ns = await connection.scalar(select(AlertRule.claimed_until_ns))
        return ((free_ns or 0) - self.world.clock.now_ns()) / SECOND


def test_a_rule_waits_for_its_own_shard_and_leaves_no_range_out(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        two = await TwoShards.when_due(world)
        assert await two.evaluated(behind=40) == []
        assert await two.put_off_seconds() == 2
        assert await two.evaluated(behind=40, advanced=20) == []
        assert await two.put_off_seconds() == 10
        assert await two.evaluated(behind=1, advanced=10) == [0]
        assert await two.evaluated(behind=1, advanced=INTERVAL_SECONDS - 30) == [0, 1]

    run(tmp_path, control_url, use)


@pytest.mark.parametrize("shards", [(1,), (0, 1)], ids=["one of two shards", "both shards"])
@pytest.mark.parametrize("behind", [30, 55, 64, 130, 400])
def test_no_range_is_left_out_while_logs_are_always_late(
    control_home: Path, shards: tuple[int, ...], behind: int
) -> None:
    async def use(world: World) -> None:
        two = await TwoShards.when_due(world, *shards, interval_seconds=60)
        for _ in range(200):
            evaluated = await two.evaluated(behind, advanced=4)
        assert evaluated == list(range(len(evaluated)))
        assert len(evaluated) >= (800 - behind) // 60

    run(control_home, None, use)


def test_a_rule_waits_no_longer_than_the_longest_wait(control_home: Path) -> None:
    async def use(world: World) -> None:
        two = await TwoShards.when_due(world)
        wait = world.settings.alerts_max_wait_seconds
        assert await two.evaluated(behind=2_000, advanced=wait - 1) == []
        assert await two.put_off_seconds() == LONGEST_PUT_OFF_SECONDS
        assert await two.evaluated(behind=2_000, advanced=LONGEST_PUT_OFF_SECONDS) == [0]

    run(control_home, None, use)


def test_a_rule_of_a_shard_that_the_worker_does_not_know_is_evaluated_at_once(control_home: Path) -> None:
    async def use(world: World) -> None:
        two = await TwoShards.when_due(world, 7)
        assert await two.evaluated(behind=40) == [0], "its query says what is wrong"

    run(control_home, None, use)
