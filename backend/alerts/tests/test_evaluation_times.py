"""Tests as of when rules are evaluated while loaders are behind, on both databases."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from backend.alerts.content import Comparison, Condition
from backend.alerts.evaluation_times import EvaluationTimes
from backend.alerts.evaluator import Evaluator
from backend.alerts.rules import Rule
from backend.alerts.stored_until import StoredUntil
from backend.alerts.tests.world import World, content, run
from backend.alerts.transitions import Observed, State
from kit.clock import ManualClock
from kit.settings import Settings
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


@dataclass
class Known:
    """A directory with one tenant."""

    present: Tenant | None

    def tenant(self, _tenant_id: int) -> Tenant | None:
        return self.present


def times(settings: Settings, tenant: Tenant | None, stored: Stored) -> EvaluationTimes:
    directory = cast(Directory, Known(tenant))
    return EvaluationTimes(settings, directory, cast(StoredUntil, stored), ManualClock())


@dataclass
class Counted:
    """An observer that counts the stored logs. One is sent each second until `sent_until_ns`."""

    chosen: EvaluationTimes
    stored: Stored
    sent_until_ns: int

    def as_of(self, rule: Rule, due_ns: int) -> int:
        return self.chosen.as_of(rule, due_ns)

    async def observe(self, rule: Rule, at_ns: int) -> list[Observed]:
        await asyncio.sleep(0)
        end_ns = self.chosen.end_ns(at_ns)
        start_ns = end_ns - rule.content.range_seconds * SECOND
        found_until_ns = min(end_ns, self.stored.until_ns[0], self.sent_until_ns)
        return [Observed((), max(0, found_until_ns - start_ns) // SECOND)]


def test_rules_keep_their_states_while_logs_wait_in_kafka(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        stored = Stored({0: world.clock.now_ns()})
        counted = Counted(times(world.settings, world.acme.tenant, stored), stored, world.clock.now_ns() + 480 * SECOND)
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
        for _ in range(5):  # Loaders do not store.
            world.clock.advance(60)
            assert await states() == [State.ok, State.ok]
        world.clock.advance(180)  # Loaders have stored everything, and the last log was sent three minutes ago.
        stored.until_ns = {0: world.clock.now_ns()}
        assert await states() == [State.firing, State.firing]

    run(tmp_path, control_url, use)


def test_a_rule_is_evaluated_as_of_the_time_until_which_its_logs_are_stored(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await asyncio.sleep(0)
        rule = await world.service.create(world.acme, content())
        tenant = world.acme.tenant
        due = world.clock.now_ns()
        evaluated = replace(rule, evaluated_at_ns=due - 20 * SECOND)

        def as_of(until_ns: int | None, rule: Rule = rule, **changes: int) -> float:
            """Returns the seconds between the evaluation and the time at which it was due."""
            settings = world.settings.model_copy(update={"alerts_delay_seconds": 10} | changes)
            stored = Stored({} if until_ns is None else {0: until_ns})
            return (times(settings, tenant, stored).as_of(rule, due) - due) / SECOND

        assert as_of(due) == 0
        assert as_of(due - 5 * SECOND) == 0
        assert as_of(due - 65 * SECOND) == -60
        assert as_of(due - 5_000 * SECOND) == -900
        assert as_of(None) == -900
        assert as_of(due - 65 * SECOND, rule=evaluated) == -20
        assert as_of(None, rule=evaluated) == -20
        assert as_of(due - 65 * SECOND, alerts_max_wait_seconds=30) == -30
        assert as_of(due - 65 * SECOND, alerts_max_wait_seconds=0) == 0
        assert as_of(due + 3_600 * SECOND) == 0

    run(tmp_path, control_url, use)
