"""Tests as of when rules are evaluated while loaders are behind, on both databases."""

import asyncio
import random
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import cast

from backend.alerts.content import Comparison, Condition
from backend.alerts.evaluation_times import EvaluationTimes
from backend.alerts.evaluator import Evaluator
from backend.alerts.repository import Rule
from backend.alerts.stored_until import StoredUntil
from backend.alerts.tests.world import World, content, run
from backend.alerts.transitions import Observed, State
from schema.control.directory import Directory, Tenant

SECOND = 10**9
NO_LOGS = Condition("count()", Comparison.no_data, None)


@dataclass
class Stored:
    """Times until which logs are stored, by shard."""

    until_ns: dict[int, int]

    def of(self, shards: tuple[int, ...]) -> int | None:
        known = [self.until_ns.get(each) for each in shards]
        return None if None in known else min(each for each in known if each is not None)

    def latest(self) -> int | None:
        return max(self.until_ns.values(), default=None)


@dataclass
class Known:
    """A directory with one tenant."""

    present: Tenant

    def tenant(self, _tenant_id: int) -> Tenant:
        return self.present


def times(world: World, stored: Stored, **changes: int) -> EvaluationTimes:
    """Returns the times of a worker that starts now and has the default settings, with changes."""
    settings = world.settings.model_copy(update={"alerts_delay_seconds": 10} | changes)
    directory = cast(Directory, Known(world.acme.tenant))
    return EvaluationTimes(settings, directory, cast(StoredUntil, stored), world.clock)


class Counted:
    """An observer that counts the stored logs. One is sent each second until `sent_until_ns`."""

    def __init__(self, chosen: EvaluationTimes, stored: Stored, sent_until_ns: int) -> None:
        self._chosen = chosen
        self._stored = stored
        self._sent_until_ns = sent_until_ns
        self.due_by = chosen.due_by
        self.as_of = chosen.as_of
        self.evaluated_at_ns = list[int]()

    async def observe(self, rule: Rule, at_ns: int) -> list[Observed]:
        await asyncio.sleep(0)
        self.evaluated_at_ns.append(at_ns)
        end_ns = self._chosen.end_ns(at_ns)
        start_ns = end_ns - rule.content.range_seconds * SECOND
        found_until_ns = min(end_ns, self._stored.until_ns[0], self._sent_until_ns)
        return [Observed((), max(0, found_until_ns - start_ns) // SECOND)]


def test_rules_keep_their_states_while_logs_wait_in_kafka(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        stored = Stored({0: world.clock.now_ns()})
        counted = Counted(times(world, stored), stored, world.clock.now_ns() + 480 * SECOND)
        worker = Evaluator(world.settings, world.engine, counted, world.clock)
        silent = content(name="No logs", query="* | stats count()", range_seconds=60, condition=NO_LOGS)
        low = Condition("count()", Comparison.below, 60.0)
        few = content(name="Few logs", query="* | stats count()", range_seconds=60, condition=low)
        rules = [await world.service.create(world.acme, each) for each in (silent, few)]

        async def states() -> list[State]:
            await worker.evaluate_due()
            statuses = [await world.service.status(world.acme.tenant.id, rule.id) for rule in rules]
            return [each.rule.state for each in statuses]

        for _ in range(3):
            world.clock.advance(60)
            stored.until_ns = {0: world.clock.now_ns() - 2 * SECOND}
            assert await states() == [State.ok, State.ok]
        evaluations = len(counted.evaluated_at_ns)
        for _ in range(5):  # Loaders do not store.
            world.clock.advance(60)
            assert await states() == [State.ok, State.ok]
        assert len(counted.evaluated_at_ns) == evaluations
        world.clock.advance(180)  # Loaders have stored everything, and the last log was sent three minutes ago.
        stored.until_ns = {0: world.clock.now_ns()}
        assert await states() == [State.firing, State.firing]

    run(tmp_path, control_url, use)


def test_a_varying_lag_leaves_no_log_out(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        stored, lag = Stored({0: 0}), random.Random(7)
        counted = Counted(times(world, stored), stored, 2**62)
        worker = Evaluator(world.settings, world.engine, counted, world.clock)
        await world.service.create(world.acme, content(range_seconds=60))
        for _ in range(150):
            world.clock.advance(4)
            stored.until_ns = {0: world.clock.now_ns() - lag.randint(0, 50) * SECOND}
            await worker.evaluate_due()
        steps = {later - earlier for earlier, later in pairwise(counted.evaluated_at_ns)}
        assert steps == {60 * SECOND}
        assert len(counted.evaluated_at_ns) >= 9

    run(tmp_path, control_url, use)


def test_rules_wait_until_the_logs_of_their_shards_are_stored(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        now = world.clock.now_ns() + 3_600 * SECOND

        def chosen(until_ns: int | None, **changes: int) -> tuple[float, float]:
            """Returns the seconds from now to the time until which rules are due, and to that of an evaluation."""
            found = times(world, Stored({} if until_ns is None else {0: until_ns}), **changes)
            return (found.due_by(now) - now) / SECOND, (found.as_of(rule, now) - now) / SECOND

        assert chosen(now) == chosen(now - 5 * SECOND) == chosen(now + 3_600 * SECOND) == (0, 0)
        assert chosen(now - 65 * SECOND) == (-60, -60)
        assert chosen(now - 5_000 * SECOND) == (-900, -900)
        assert chosen(now - 65 * SECOND, alerts_max_wait_seconds=30) == (-30, -30)
        assert chosen(now - 65 * SECOND, alerts_max_wait_seconds=0) == (0, 0)
        assert chosen(None) == (-900, -900)

    run(tmp_path, control_url, use)


def test_no_rule_is_claimed_after_a_start_before_it_is_known_what_is_stored(control_home: Path) -> None:
    async def use(world: World) -> None:
        await asyncio.sleep(0)
        started, found = world.clock.now_ns(), times(world, Stored({}))
        assert found.due_by(started) == 0
        assert found.due_by(started + 899 * SECOND) == 0
        assert found.due_by(started + 900 * SECOND) == started

    run(control_home, None, use)
