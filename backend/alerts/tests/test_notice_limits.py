"""Tests how many notices a tenant may have, on both databases: waiting, within an hour, and kept."""

from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import select

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.claimed_work import FreeSlots
from backend.alerts.notice_limits import remove_old
from backend.alerts.outbox import claim_notices, mark_failed, mark_sent
from backend.alerts.repository import Rule
from backend.alerts.tests.world import World, content, run
from backend.alerts.transitions import Group
from kit.errors import RateLimited
from schema.control.alert_models import AlertNotice

HOUR_SECONDS = 3_600.0
LIMITS = "backend.alerts.notice_limits"
FIVE: dict[Group, float | None] = {(f"service-{number}",): 9.0 for number in range(5)}


async def stored(world: World) -> list[tuple[str, str]]:
    """Returns the state and the channel of each notice."""
    async with world.engine.connect() as connection:
        rows = await connection.execute(select(AlertNotice.state, AlertNotice.channel).order_by(AlertNotice.id))
        return [(state, channel) for state, channel in rows]


async def send_all(world: World) -> None:
    """Marks the waiting notices as sent."""
    for each in await claim_notices(world.engine, world.clock.now_ns(), FreeSlots(1_000, 1_000), "claim"):
        await mark_sent(world.engine, each)


async def left_out(world: World, rule: Rule) -> list[str]:
    """Returns the entries of the rule's history that say that notices were left out, newest first."""
    events, _ = await world.service.history(world.acme.tenant.id, rule.id)
    return [each.event.detail for each in events if each.event.group is None and each.event.detail]


async def kinds(world: World, rule: Rule) -> Counter[str]:
    """Returns the number of notices of each kind in the rule's history."""
    _, notices = await world.service.history(world.acme.tenant.id, rule.id)
    return Counter(each.kind for each in notices)


def test_no_more_notices_wait_than_a_tenant_may_have_and_the_history_says_so(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LIMITS}.MAX_WAITING", 3)

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.minute(FIVE)
        assert len(await stored(world)) == 3
        with pytest.raises(RateLimited, match="notices left out: 1, because 3 notices of the tenant wait to be sent"):
            await world.service.test(world.acme, rule.id)
        assert await left_out(world, rule) == [
            "notices left out: 2, because 3 notices of the tenant wait to be sent, the largest number allowed"
        ]

    run(tmp_path, control_url, use)


def test_a_tenant_has_no_more_notices_in_an_hour_than_allowed_and_the_history_says_so(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LIMITS}.MAX_HOURLY", 3)
    hourly = "because the tenant had 3 notices within an hour, the largest number allowed"

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.minute(FIVE)
        await send_all(world)
        assert len(await stored(world)) == 3
        assert await left_out(world, rule) == [f"notices left out: 2, {hourly}"]
        with pytest.raises(RateLimited, match=hourly):
            await world.service.test(world.acme, rule.id)
        other = await world.service.create(world.other, content())
        await world.service.test(world.other, other.id)

        changed = await world.service.change(world.acme, rule.id, content(), 1, keeps_channels=True)
        assert len(await left_out(world, changed)) == 1, "the history says it once"
        assert len(await stored(world)) == 4

        world.clock.advance(HOUR_SECONDS)
        await world.service.test(world.acme, rule.id)

    run(tmp_path, control_url, use)


def test_a_firing_group_whose_notice_was_left_out_gets_it_when_there_is_room(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LIMITS}.MAX_WAITING", 3)

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        for number in range(3):
            await world.minute(FIVE | {(f"z-{number}",): 9.0})
        assert await kinds(world, rule) == {"firing": 3}
        assert len(await left_out(world, rule)) == 1, "the history says it once"
        await send_all(world)
        for _ in range(2):
            await world.minute(FIVE)
        assert await kinds(world, rule) == {"firing": 5}

    run(tmp_path, control_url, use)


def test_a_group_whose_firing_was_not_notified_causes_no_notice_that_it_is_resolved(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LIMITS}.MAX_WAITING", 3)

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.minute(FIVE)
        await send_all(world)
        await world.minute({})
        assert await kinds(world, rule) == {"firing": 3, "resolved": 3}
        assert len(await left_out(world, rule)) == 1

    run(tmp_path, control_url, use)


def test_notices_of_deleted_rules_count_for_an_hour_and_are_removed_then(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LIMITS}.MAX_HOURLY", 1)

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.service.test(world.acme, rule.id)
        await send_all(world)
        await world.service.delete(world.acme, rule.id, None)
        again = await world.service.create(world.acme, content())
        with pytest.raises(RateLimited, match="within an hour"):
            await world.service.test(world.acme, again.id)
        await remove_old(world.engine, world.clock.now_ns())
        with pytest.raises(RateLimited, match="within an hour"):
            await world.service.test(world.acme, again.id)

        world.clock.advance(HOUR_SECONDS)
        await world.service.test(world.acme, again.id)
        await send_all(world)
        await remove_old(world.engine, world.clock.now_ns())
        assert len(await stored(world)) == 1

        world.clock.advance(HOUR_SECONDS)
        await remove_old(world.engine, world.clock.now_ns())
        assert len(await stored(world)) == 1, "it is in the history of its rule"
        await world.service.delete(world.acme, again.id, None)
        assert await stored(world) == []

    run(tmp_path, control_url, use)


def test_a_tenant_has_fewer_mails_in_an_hour_than_other_notices(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LIMITS}.MAX_HOURLY_MAILS", 2)
    mail = Channel(ChannelKind.email, recipients=("ops@example.com",))
    # A header with the text of the stored kind of another channel is not mistaken for it.
    webhook = Channel(ChannelKind.webhook, "https://a.example/", (("X-A", '[{"kind":"email"'),))

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content(channels=(mail, webhook)))
        await world.service.test(world.acme, rule.id)
        await send_all(world)
        await world.service.test(world.acme, rule.id)
        with pytest.raises(RateLimited, match="the tenant had 2 notices by e-mail within an hour"):
            await world.service.test(world.acme, rule.id)
        await world.minute(FIVE)
        assert await left_out(world, rule) == [
            "notices left out: 5, because the tenant had 2 notices by e-mail within an hour, the largest number allowed"
        ]
        channels = [channel for _, channel in await stored(world)]
        assert sum(channel == "email" or channel.startswith('[{"kind":"email"') for channel in channels) == 2
        assert len(channels) == 9

    run(tmp_path, control_url, use, smtp_host="127.0.0.1")


def test_the_oldest_finished_notices_of_a_tenant_are_removed_first(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LIMITS}.MAX_KEPT", 2)

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        for number in range(5):
            world.clock.advance(1)
            await world.service.test(world.acme, rule.id)
            (claimed,) = await claim_notices(world.engine, world.clock.now_ns(), FreeSlots(8, 8), "claim")
            if number % 2:
                await mark_failed(world.engine, claimed, "gone", world.clock.now_ns(), is_final=True)
            else:
                await mark_sent(world.engine, claimed)
        world.clock.advance(1)
        await world.service.test(world.acme, rule.id)
        before = (await world.service.history(world.acme.tenant.id, rule.id))[1]
        other = await world.service.create(world.other, content())
        await world.service.test(world.other, other.id)
        await remove_old(world.engine, world.clock.now_ns())

        kept = (await world.service.history(world.acme.tenant.id, rule.id))[1]
        assert kept == before[:3]
        assert [each.state for each in kept] == ["waiting", "sent", "failed"]
        assert len(await stored(world)) == 4

    run(tmp_path, control_url, use)


def test_a_finished_notice_keeps_no_texts(control_home: Path) -> None:
    async def use(world: World) -> None:
        channels = (
            Channel(ChannelKind.webhook, "https://a.example/"),
            Channel(ChannelKind.slack, "https://b.example/"),
        )
        rule = await world.service.create(world.acme, content(labels={"team": "checkout" * 20}, channels=channels))
        await world.minute({("payments",): 9.0})
        first, second = await claim_notices(world.engine, world.clock.now_ns(), FreeSlots(8, 8), "claim")
        await mark_sent(world.engine, first)
        await mark_failed(world.engine, second, "gone", world.clock.now_ns(), is_final=True)
        async with world.engine.connect() as connection:
            contents = (await connection.scalars(select(AlertNotice.content))).all()
        assert not any(word in text for text in contents for word in ("checkout", "payments", "Errors", "count()"))
        assert sorted(channel for _, channel in await stored(world)) == ["slack", "webhook"]
        kinds = [each.kind for each in (await world.service.history(world.acme.tenant.id, rule.id))[1]]
        assert kinds == ["firing", "firing"]

    run(control_home, None, use)
