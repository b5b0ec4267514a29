"""Tests how notices are sent to webhooks, with an HTTP server of the test."""

import asyncio
import json
from pathlib import Path

import pytest

from backend.alerts.addresses import AddressRefused, check_address, may_reach
from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.claimed_work import CLAIM_SECONDS, FreeSlots
from backend.alerts.outbox import MAX_ATTEMPTS, claim_notices
from backend.alerts.sender import Sender
from backend.alerts.tests.receiver import Receiver
from backend.alerts.tests.sending import send, with_test_notice
from backend.alerts.tests.world import World, run
from backend.tenants.service import TenantService
from kit.networks import NO_NETWORKS
from kit.settings import Settings

LOOPBACK = "127.0.0.0/8"


def test_webhooks_get_their_payloads_headers_and_ids(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        async with receiver.running():
            token = (("X-Token", "s3cret"),)
            kinds = (ChannelKind.webhook, ChannelKind.slack, ChannelKind.alertmanager)
            read = await with_test_notice(world, *(Channel(kind, f"{receiver.url}/{kind}", token) for kind in kinds))
            assert await send(world) == 3
            assert await send(world) == 0
        stored = await read()
        assert {each.state for each in stored} == {"sent"}
        assert {request[0] for request in receiver.requests} == {each.id for each in stored}
        assert {request[1] for request in receiver.requests} == {"s3cret"}
        bodies = {min(body): body for _, _, body in receiver.requests}
        assert bodies["at"]["rule"]["name"] == "Errors"
        assert "[TEST] [critical] Errors" in bodies["attachments"]["text"]
        (alert,) = bodies["alerts"]["alerts"]
        assert alert["labels"] == {"alertname": "Errors", "severity": "critical", "team": "checkout"}

    run(tmp_path, control_url, use, alerts_webhook_networks=LOOPBACK)


def test_a_failed_notice_is_repeated_with_its_id_after_growing_pauses(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        receiver.statuses = [500, 429]
        async with receiver.running():
            read = await with_test_notice(world, Channel(ChannelKind.webhook, receiver.url))
            assert await send(world) == 1
            for pause in (2, 4):
                world.clock.advance(pause - 0.1)
                assert await send(world) == 0
                world.clock.advance(0.1)
                assert await send(world) == 1
        (notice,) = await read()
        assert (notice.state, notice.attempts) == ("sent", 3)
        assert [request[0] for request in receiver.requests] == [notice.id] * 3

    run(tmp_path, control_url, use, alerts_webhook_networks=LOOPBACK)


def test_a_notice_whose_sender_died_is_sent_by_another(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        async with receiver.running():
            read = await with_test_notice(world, Channel(ChannelKind.webhook, receiver.url))
            assert len(await claim_notices(world.engine, world.clock.now_ns(), FreeSlots(8, 8), "claim")) == 1
            assert await send(world) == 0
            world.clock.advance(CLAIM_SECONDS)
            assert await send(world) == 1
        assert [each.state for each in await read()] == ["sent"]

    run(tmp_path, control_url, use, alerts_webhook_networks=LOOPBACK)


def test_a_slow_receiver_gets_a_notice_once_while_its_sender_lives(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.alerts.sender.TIMEOUT_SECONDS", 60.0)

    async def use(world: World) -> None:
        receiver = Receiver()
        receiver.answers.clear()
        async with receiver.running(), Sender(world.settings, world.engine, world.clock) as slow:
            read = await with_test_notice(world, Channel(ChannelKind.webhook, receiver.url))
            sending = asyncio.create_task(slow.send_due())
            await receiver.asked.wait()
            for _ in range(2):
                world.clock.advance(CLAIM_SECONDS - 1)
                assert await send(world) == 0
                await slow.renew()
            receiver.answers.set()
            assert await sending == 1
        (notice,) = await read()
        assert (notice.state, notice.attempts, len(receiver.requests)) == ("sent", 1, 1)

    run(tmp_path, control_url, use, alerts_webhook_networks=LOOPBACK)


def test_a_stop_waits_for_the_notices_that_are_being_sent(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        receiver.answers.clear()
        async with receiver.running():
            read = await with_test_notice(world, Channel(ChannelKind.webhook, receiver.url))
            async with Sender(world.settings, world.engine, world.clock) as stopped:
                sending = asyncio.create_task(stopped.send_due())
                await receiver.asked.wait()
                sending.cancel()
                asyncio.get_running_loop().call_soon(receiver.answers.set)
            world.clock.advance(CLAIM_SECONDS)
            assert await send(world) == 0
        (notice,) = await read()
        assert (notice.state, notice.attempts, len(receiver.requests)) == ("sent", 1, 1)

    run(tmp_path, control_url, use, alerts_webhook_networks=LOOPBACK)


def test_waiting_notices_of_deleted_tenants_are_not_sent(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        async with receiver.running():
            read = await with_test_notice(world, Channel(ChannelKind.webhook, receiver.url))
            await TenantService(world.engine, world.clock).delete_tenant("acme")
            assert await send(world) == 0
        assert receiver.requests == []
        assert [each.state for each in await read()] == ["waiting"]

    run(tmp_path, control_url, use, alerts_webhook_networks=LOOPBACK)


@pytest.mark.parametrize("status", [302, 404])
def test_an_answer_that_cannot_change_ends_the_attempts(control_home: Path, status: int) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        receiver.statuses = [status]
        async with receiver.running():
            read = await with_test_notice(world, Channel(ChannelKind.webhook, receiver.url))
            await send(world)
        (notice,) = await read()
        assert (notice.state, notice.detail) == ("failed", f"the webhook answered {status}")
        assert len(receiver.requests) == 1

    run(control_home, None, use, alerts_webhook_networks=LOOPBACK)


def test_attempts_end(control_home: Path) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        receiver.statuses = [503] * 100
        async with receiver.running():
            read = await with_test_notice(world, Channel(ChannelKind.webhook, receiver.url))
            for _ in range(MAX_ATTEMPTS + 5):
                await send(world)
                world.clock.advance(600)
        assert [(each.state, each.attempts) for each in await read()] == [("failed", MAX_ATTEMPTS)]
        assert len(receiver.requests) == MAX_ATTEMPTS

    run(control_home, None, use, alerts_webhook_networks=LOOPBACK)


@pytest.mark.parametrize(
    ("host", "state", "why"),
    [
        ("127.0.0.1", "failed", "the webhook's host has an address that is not public"),
        ("localhost", "waiting", "the name of the webhook's host is unknown or has an address that is not public"),
        ("name.invalid", "waiting", "the name of the webhook's host is unknown or has an address that is not public"),
    ],
)
def test_hosts_inside_the_installation_are_refused(control_home: Path, host: str, state: str, why: str) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        async with receiver.running():
            url = receiver.url.replace("127.0.0.1", host)
            read = await with_test_notice(world, Channel(ChannelKind.webhook, url))
            await send(world)
        (notice,) = await read()
        assert notice.state == state
        assert notice.detail.startswith(f"{why}, so no request was sent")
        assert receiver.requests == []

    run(control_home, None, use)


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "192.168.1.1", "169.254.169.254", "::1", "fe80::1", "fc00::1", "0.0.0.0", "::ffff:10.0.0.1",
     "2002:0a00:0001::", "64:ff9b::a00:1", "64:ff9b:1::a00:1", "fec0::2", "100::1", "224.0.0.1", "100.64.0.1"],
)  # fmt: skip
def test_private_addresses_cannot_be_reached(address: str) -> None:
    assert not may_reach(address, NO_NETWORKS)


def test_public_addresses_can_be_reached() -> None:
    assert may_reach("1.1.1.1", NO_NETWORKS)
    assert may_reach("2606:4700:4700::1111", NO_NETWORKS)


def test_private_addresses_of_an_allowed_network_can_be_reached() -> None:
    allowed = Settings(alerts_webhook_networks="10.1.0.5/16, fc00::1").webhook_networks
    reached = ["10.1.9.9", "::ffff:10.1.9.9", "fc00::1", "10.2.0.1", "fc00::2", "::1"]
    assert [may_reach(each, allowed) for each in reached] == [True, True, True, False, False, False]


def test_secrets_are_neither_shown_nor_kept_after_sending(control_home: Path) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        async with receiver.running():
            await with_test_notice(
                world, Channel(ChannelKind.webhook, f"{receiver.url}/s3cret-path", (("X-Token", "s3cret"),))
            )
            await send(world)
            async with world.engine.connect() as connection:
                for table in ("alert_notice", "audit_entry", "alert_event"):
                    rows = await connection.exec_driver_sql(f"SELECT * FROM {table}")
                    assert "s3cret" not in json.dumps([str(row) for row in rows])
        (rule,) = await world.service.rules(world.acme.tenant.id)
        assert [channel.shown for channel in rule.content.channels] == [f"{receiver.url}/…"]

    run(control_home, None, use, alerts_webhook_networks=LOOPBACK)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://hooks.slack.com/services/T000/B000/abcdefgh1234", "https://hooks.slack.com/…1234"),
        ("https://hooks.example.com:8443/hook?key=0123456789abcdef", "https://hooks.example.com:8443/…cdef"),
        ("https://hooks.example.com/secret-path", "https://hooks.example.com/…"),
        ("https://hooks.example.com", "https://hooks.example.com/…"),
    ],
)
def test_a_long_url_is_shown_by_its_host_and_last_characters(url: str, shown: str) -> None:
    assert Channel(ChannelKind.slack, url).shown == shown


@pytest.mark.parametrize("host", ["v1.x:y.evil.example", "127.0.0.1:80"])
def test_a_host_that_the_client_mistakes_for_an_address_is_refused(host: str) -> None:
    with pytest.raises(AddressRefused, match="neither a name nor an IP address"):
        check_address(host, NO_NETWORKS)


def test_a_channel_that_cannot_be_used_fails_finally_and_delays_no_other(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        receiver = Receiver()
        async with receiver.running():
            read = await with_test_notice(world, Channel(ChannelKind.webhook, receiver.url))
            # Stored by a release that accepted such a host.
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("backend.alerts.service.check_channel", lambda *_, **__: None)
                read_bad = await with_test_notice(world, Channel(ChannelKind.webhook, "http://a..b/"), name="Bad")
            assert await send(world) == 2
        assert [each.state for each in await read()] == ["sent"]
        (failed,) = await read_bad()
        assert (failed.state, failed.attempts) == ("failed", 1)
        assert "correct the channel" in failed.detail

    run(tmp_path, control_url, use, alerts_webhook_networks=LOOPBACK)
