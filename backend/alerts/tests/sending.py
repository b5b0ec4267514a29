"""Writes notices into the outbox and sends those that are due, for tests of channels."""

from collections.abc import Awaitable, Callable

from backend.alerts.channels import Channel
from backend.alerts.outbox import PastNotice
from backend.alerts.sender import Sender
from backend.alerts.tests.world import World, content


async def send(world: World) -> int:
    async with Sender(world.settings, world.engine, world.clock) as sender:
        return await sender.send_due()


async def with_test_notice(
    world: World, *channels: Channel, name: str = "Errors"
) -> Callable[[], Awaitable[list[PastNotice]]]:
    """Makes a rule with these channels, and a test notice for each channel. Returns a function that reads the
    notices."""
    rule = await world.service.create(world.acme, content(name=name, channels=channels))
    await world.service.test(world.acme, rule.id)

    async def read() -> list[PastNotice]:
        return (await world.service.history(world.acme.tenant.id, rule.id))[1]

    return read
