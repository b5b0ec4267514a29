"""A control plane with a tenant, its alert rules, and workers whose queries are answered by the test."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.content import Comparison, Condition, RuleContent, Severity
from backend.alerts.evaluator import Evaluator
from backend.alerts.repository import Rule
from backend.alerts.service import AlertService
from backend.alerts.transitions import Group, Observed
from backend.caller import Caller
from backend.tests.callers import two_callers
from kit.clock import ManualClock
from kit.settings import Settings

NOW = 1_790_000_040 * 10**9
"""Start of the tests' clock, a whole minute."""


class WhenDue:
    """An observer with values of the test. Rules are evaluated when they are due."""

    def __init__(self, values: Callable[[Rule, int], Awaitable[list[Observed]]]) -> None:
        self._values = values

    def due_by(self, now_ns: int) -> int:
        return now_ns

    def as_of(self, _rule: Rule, now_ns: int) -> int:
        return now_ns

    async def observe(self, rule: Rule, at_ns: int) -> list[Observed]:
        return await self._values(rule, at_ns)


@dataclass
class World:
    """The services of the tests. `values` is the answer to each evaluation. If it is an error, the evaluation raises
    it."""

    settings: Settings
    engine: AsyncEngine
    clock: ManualClock
    service: AlertService
    acme: Caller
    other: Caller
    values: Mapping[Group, float | None] | Exception = field(default_factory=dict)
    evaluated_at: list[int] = field(default_factory=list)

    async def observe(self, rule: Rule, at_ns: int) -> list[Observed]:
        assert rule.tenant_id == self.acme.tenant.id
        self.evaluated_at.append(at_ns)
        await asyncio.sleep(0)
        if isinstance(self.values, Exception):
            raise self.values
        return [Observed(group, value) for group, value in self.values.items()]

    def worker(self) -> Evaluator:
        return Evaluator(self.settings, self.engine, WhenDue(self.observe), self.clock)

    async def minute(self, values: Mapping[Group, float | None] | Exception, seconds: float = 60) -> None:
        """Moves the clock forward, then evaluates the due rules with these values."""
        self.values = values
        self.clock.advance(seconds)
        await self.worker().evaluate_due()


def content(**changed: Any) -> RuleContent:
    """Returns a rule with a webhook that fires immediately if a service has more than 5 errors."""
    members: dict[str, Any] = {
        "name": "Errors",
        "query": "severity:>=error | stats count() by service",
        "range_seconds": 300,
        "interval_seconds": 60,
        "condition": Condition("count()", Comparison.above, 5.0),
        "for_seconds": 0,
        "severity": Severity.critical,
        "labels": {"team": "checkout"},
        "channels": (Channel(ChannelKind.webhook, "https://hooks.example.com/secret-path", (("X-Token", "s3cret"),)),),
    }
    return RuleContent(**members | changed)


def _ids() -> Callable[[int], str]:
    """Returns a function that makes ids. Rules with these ids are evaluated at full minutes."""
    numbers = count(1)
    return lambda size: f"{60 * next(numbers):0{2 * size}x}"


def run(home: Path, control_url: str | None, use: Callable[[World], Awaitable[None]], **settings: Any) -> None:
    """Runs a test with tenants acme and other on a migrated control plane, without a URL on the one in `home`."""
    chosen = Settings(home=home, control_url=control_url, **settings)

    async def body() -> None:
        clock = ManualClock(NOW)
        async with two_callers(chosen, clock) as callers:
            service = AlertService(callers.engine, clock, callers.queries, chosen.smtp_host is not None, _ids())
            await use(World(chosen, callers.engine, clock, service, callers.acme, callers.other))

    asyncio.run(body())
