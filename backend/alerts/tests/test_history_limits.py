"""Tests how many events the rules of a tenant keep."""

from pathlib import Path

import pytest

from backend.alerts.history import add_events
from backend.alerts.rules import Rule
from backend.alerts.tests.world import NOW, World, content, run
from backend.alerts.transitions import Event, State
from backend.caller import Caller


async def kept(world: World, owner: Caller, rule: Rule) -> list[float | None]:
    """Adds eight events to the history of a rule, and returns the values of those that it keeps, newest first."""
    events = [Event(("web",), State.ok, State.firing, float(number)) for number in range(8)]
    async with world.engine.begin() as connection:
        await add_events(connection, rule, events, NOW)
    past, _ = await world.service.history(owner.tenant.id, rule.id)
    return [each.event.value for each in past]


def test_the_rules_of_a_tenant_share_the_events_that_it_keeps(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.alerts.history.MAX_EVENTS", 4)
    monkeypatch.setattr("backend.alerts.history.MAX_TENANT_EVENTS", 6)

    async def use(world: World) -> None:
        alone = await world.service.create(world.other, content())
        first = await world.service.create(world.acme, content(name="First"))
        assert await kept(world, world.acme, first) == [7, 6, 5, 4]
        second, _ = [await world.service.create(world.acme, content(name=name)) for name in ("Second", "Third")]
        assert await kept(world, world.acme, second) == [7, 6]
        assert await kept(world, world.acme, first) == [7, 6]
        assert await kept(world, world.other, alone) == [7, 6, 5, 4]

    run(tmp_path, control_url, use)
