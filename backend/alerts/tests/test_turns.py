"""Tests that tenants with many due rules or notices delay no other tenant by more than one evaluation or attempt."""

from pathlib import Path

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.claimed_work import FreeSlots
from backend.alerts.claims import claim_due
from backend.alerts.outbox import claim_notices
from backend.alerts.tests.world import World, content, run
from backend.caller import Caller
from backend.tests.callers import caller_of_new_tenant

BUSY = 12
"""Rules of each tenant with many."""


async def with_busy_tenants(world: World) -> Caller:
    """Makes many rules and test notices of two tenants, and later one rule and notice of a third. Returns the third.
    The rules have been due for some time."""
    third = await caller_of_new_tenant(world.engine, world.settings, world.clock, "third")
    channels = (Channel(ChannelKind.webhook, "https://hooks.example.com/"),)

    async def add(owner: Caller, count: int) -> None:
        for number in range(count):
            rule = await world.service.create(owner, content(name=f"Rule {number}", channels=channels))
            await world.service.test(owner, rule.id)

    await add(world.acme, BUSY)
    await add(world.other, BUSY)
    world.clock.advance(600)
    await add(third, 1)
    world.clock.advance(60)
    return third


def test_a_free_place_goes_to_the_tenant_that_uses_none(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        third = await with_busy_tenants(world)
        now_ns = world.clock.now_ns()
        slots = FreeSlots(1, 4, {world.acme.tenant.id: 3, world.other.tenant.id: 4})

        rules = await claim_due(world.engine, now_ns, slots, "claim")
        assert [each.tenant_id for each in rules] == [third.tenant.id]
        notices = await claim_notices(world.engine, now_ns, slots, "claim")
        assert [each.tenant_id for each in notices] == [third.tenant.id]

        rules = await claim_due(world.engine, now_ns, slots, "claim")
        assert [each.tenant_id for each in rules] == [world.acme.tenant.id], "no other tenant has due rules"

    run(tmp_path, control_url, use)


def test_all_free_slots_are_used_although_some_tenants_use_slots(control_home: Path) -> None:
    async def use(world: World) -> None:
        third = await with_busy_tenants(world)
        now_ns = world.clock.now_ns()
        acme, other = world.acme.tenant.id, world.other.tenant.id

        rules = await claim_due(world.engine, now_ns, FreeSlots(9, 8, {acme: 7}), "claim")
        claimed = [each.tenant_id for each in rules]
        assert sorted(claimed) == [acme, *[other] * 7, third.tenant.id]

    run(control_home, None, use)
