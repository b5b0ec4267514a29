"""Tests how many events the rules of a tenant keep."""

from pathlib import Path

import pytest

from backend.alerts.history import add_events
from backend.alerts.repository import Rule
from backend.alerts.tests.world import NOW, World, content, run
from backend.alerts.transitions import Event, State
from backend.alerts.worker import clean
from backend.caller import Caller


async def values(world: World, owner: Caller, rule: Rule) -> list[float | None]:
    """Returns the values of the events that a rule keeps, newest first."""
    past, _ = await world.service.history(owner.tenant.id, rule.id)
    return [each.event.value for each in past]


async def kept(world: World, owner: Caller, rule: Rule) -> list[float | None]:
    """Adds eight events to the history of a rule, and returns the values of those that it keeps, newest first."""
    events = [Event(("web",), State.ok, State.firing, float(number)) for number in range(8)]
    async with world.engine.begin() as connection:
        await add_events(connection, rule, events, NOW)
    return await values(world, owner, rule)


@pytest.fixture(autouse=True)
def _few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.alerts.history.MAX_EVENTS", 4)
    monkeypatch.setattr("backend.alerts.history.MAX_TENANT_EVENTS", 6)


def test_the_rules_of_a_tenant_share_the_events_that_it_keeps(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        alone = await world.service.create(world.other, content())
        first = await world.service.create(world.acme, content(name="First"))
        assert await kept(world, world.acme, first) == [7, 6, 5, 4]
        second, _ = [await world.service.create(world.acme, content(name=name)) for name in ("Second", "Third")]
        assert await kept(world, world.acme, second) == [7, 6]
        assert await kept(world, world.acme, first) == [7, 6]
        assert await kept(world, world.other, alone) == [7, 6, 5, 4]

    run(tmp_path, control_url, use)


def test_rules_without_new_events_are_trimmed_to_the_share_of_the_tenant(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        alone = await world.service.create(world.other, content())
        first = await world.service.create(world.acme, content(name="First"))
        for owner, rule in ((world.other, alone), (world.acme, first)):
            assert await kept(world, owner, rule) == [7, 6, 5, 4]
        second = await world.service.create(world.acme, content(name="Second"))
        assert await kept(world, world.acme, second) == [7, 6, 5]
        await clean(world.engine, NOW)
        assert await values(world, world.acme, first) == [7, 6, 5]
        await world.service.create(world.acme, content(name="Third"))
        for _ in range(2):
            await clean(world.engine, NOW)
            assert await values(world, world.acme, first) == [7, 6]
            assert await values(world, world.acme, second) == [7, 6]
            assert await values(world, world.other, alone) == [7, 6, 5, 4]

    run(tmp_path, control_url, use)
