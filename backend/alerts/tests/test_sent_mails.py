"""Tests which recipients get an e-mail, and by which connections, with an SMTP server of the test."""

import socket
import threading
from email import message_from_bytes
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest
import trustme

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.tests.mail_server import Mailbox, mail_server
from backend.alerts.tests.sending import send, with_test_notice
from backend.alerts.tests.world import World, run
from tests.tls.certificates import write_authority, write_certificate


def test_mails_reach_their_recipients_with_the_notice_id(tmp_path: Path, control_url: str) -> None:
    mailbox = Mailbox()
    with mail_server(mailbox) as port:

        async def use(world: World) -> None:
            read = await with_test_notice(
                world, Channel(ChannelKind.email, recipients=("ops@example.com", "me@example.com"))
            )
            await send(world)
            (notice,) = await read()
            ((recipients, text),) = mailbox.received
            mail = message_from_bytes(text)
            assert (notice.state, recipients) == ("sent", ["ops@example.com", "me@example.com"])
            assert mail["X-Logsieve-Notice"] == notice.id
            assert mail["Message-ID"] == f"<{notice.id}@example.com>"
            assert str(mail["Subject"]).startswith("[TEST] [critical] Errors")
            assert parsedate_to_datetime(mail["Date"]).timestamp() == world.clock.now_ns() / 1e9

        run(
            tmp_path, control_url, use,
            smtp_host="127.0.0.1", smtp_port=port, smtp_security="none", smtp_from="logs@example.com",
        )  # fmt: skip


@pytest.mark.parametrize("security", ["starttls", "tls"])
@pytest.mark.parametrize("name", ["127.0.0.1", "mail.example.com"])
def test_mails_go_only_to_a_server_that_proves_its_name(
    control_home: Path, monkeypatch: pytest.MonkeyPatch, security: str, name: str
) -> None:
    authority = trustme.CA()
    monkeypatch.setenv("SSL_CERT_FILE", str(write_authority(control_home, "authority", authority)))
    mailbox = Mailbox()
    with mail_server(mailbox, write_certificate(control_home, "mail", authority.issue_cert(name)), security) as port:

        async def use(world: World) -> None:
            read = await with_test_notice(world, Channel(ChannelKind.email, recipients=("ops@example.com",)))
            await send(world)
            (notice,) = await read()
            if name == "127.0.0.1":
                ((_, text),) = mailbox.received
                assert (notice.state, notice.id in text.decode()) == ("sent", True)
            else:
                assert (notice.state, mailbox.received) == ("waiting", [])
                assert "SSLCertVerificationError" in notice.detail

        run(control_home, None, use, smtp_host="127.0.0.1", smtp_port=port, smtp_security=security)


def test_mails_are_not_sent_to_a_server_without_tls(control_home: Path) -> None:
    mailbox = Mailbox()
    with mail_server(mailbox) as port:

        async def use(world: World) -> None:
            read = await with_test_notice(world, Channel(ChannelKind.email, recipients=("ops@example.com",)))
            await send(world)
            (notice,) = await read()
            assert (notice.state, mailbox.received) == ("waiting", [])

        run(control_home, None, use, smtp_host="127.0.0.1", smtp_port=port)


WITHOUT_TLS: dict[str, Any] = {"smtp_host": "127.0.0.1", "smtp_security": "none", "smtp_from": "logs@example.com"}


def test_a_recipient_that_was_refused_for_a_while_gets_the_mail_later_and_the_others_get_it_once(
    tmp_path: Path, control_url: str
) -> None:
    mailbox = Mailbox({"slow@example.org": [450, 451]})
    with mail_server(mailbox) as port:

        async def use(world: World) -> None:
            recipients = ("ops@example.com", "slow@example.org", "me@example.com")
            read = await with_test_notice(world, Channel(ChannelKind.email, recipients=recipients))
            histories = []
            for pause in (2, 4, 600):
                assert await send(world) == 1
                histories += await read()
                world.clock.advance(pause)
            assert await send(world) == 0
            assert [(each.state, each.attempts, each.detail) for each in histories] == [
                (
                    "waiting",
                    1,
                    "the SMTP server refused slow@example.org (450); all other recipients got the e-mail",
                ),
                ("waiting", 2, "the SMTP server refused slow@example.org (451)"),
                ("sent", 3, ""),
            ]
            assert [to for to, _ in mailbox.received] == [["ops@example.com", "me@example.com"], ["slow@example.org"]]
            ids = {str(message_from_bytes(text)["Message-ID"]) for _, text in mailbox.received}
            assert ids == {f"<{histories[0].id}@example.com>"}

        run(tmp_path, control_url, use, smtp_port=port, **WITHOUT_TLS)


def test_the_attempts_end_when_all_recipients_that_are_left_are_refused_permanently(control_home: Path) -> None:
    mailbox = Mailbox({"gone@example.org": [550] * 9, "slow@example.org": [450]})
    with mail_server(mailbox) as port:

        async def use(world: World) -> None:
            recipients = ("ops@example.com", "gone@example.org", "slow@example.org")
            read = await with_test_notice(world, Channel(ChannelKind.email, recipients=recipients))
            for _ in range(5):
                await send(world)
                world.clock.advance(600)
            (notice,) = await read()
            assert (notice.state, notice.attempts, notice.detail) == (
                "failed",
                2,
                "the SMTP server refused gone@example.org (550); all other recipients got the e-mail",
            )
            assert [to for to, _ in mailbox.received] == [["ops@example.com"], ["slow@example.org"]]

        run(control_home, None, use, smtp_port=port, **WITHOUT_TLS)


def test_a_repeated_recipient_that_is_refused_permanently_ends_the_attempts(control_home: Path) -> None:
    mailbox = Mailbox({"gone@example.org": [550] * 9})
    with mail_server(mailbox) as port:

        async def use(world: World) -> None:
            channel = Channel(ChannelKind.email, recipients=("gone@example.org", "gone@example.org"))
            read = await with_test_notice(world, channel)
            await send(world)
            (notice,) = await read()
            assert (notice.state, notice.detail) == ("failed", "the SMTP server refused gone@example.org (550)")
            assert mailbox.received == []

        run(control_home, None, use, smtp_port=port, **WITHOUT_TLS)


def test_nobody_counts_as_reached_if_the_server_ended_the_session_before_the_mail(control_home: Path) -> None:
    mailbox = Mailbox({"second@example.org": [421]})
    with mail_server(mailbox) as port:

        async def use(world: World) -> None:
            recipients = ("first@example.com", "second@example.org")
            read = await with_test_notice(world, Channel(ChannelKind.email, recipients=recipients))
            await send(world)
            (notice,) = await read()
            assert (notice.state, notice.detail) == ("waiting", "the SMTP server refused second@example.org (421)")
            world.clock.advance(2)
            await send(world)
            assert [to for to, _ in mailbox.received] == [["first@example.com", "second@example.org"]]

        run(control_home, None, use, smtp_port=port, **WITHOUT_TLS)


def test_the_history_says_that_the_worker_has_no_mail_server(control_home: Path) -> None:
    async def use(world: World) -> None:
        read = await with_test_notice(world, Channel(ChannelKind.email, recipients=("ops@example.com",)))
        # The API has a server, and the worker has none.
        world.settings = world.settings.model_copy(update={"smtp_host": None})
        await send(world)
        (notice,) = await read()
        assert notice.state == "waiting"
        assert notice.detail.startswith("the alert worker has no SMTP server")
        assert "LOGSIEVE_SMTP_HOST" in notice.detail

    run(control_home, None, use, smtp_host="127.0.0.1")


def test_an_unexpected_error_of_the_mail_library_is_no_fault_of_the_channel(control_home: Path) -> None:
    async def use(world: World) -> None:
        read = await with_test_notice(world, Channel(ChannelKind.email, recipients=("ops@example.com",)))
        await send(world)
        (notice,) = await read()
        assert notice.state == "waiting"
        assert notice.detail.startswith("the e-mail could not be sent because of an error in Logsieve or its SMTP")

    # Python cannot encode such a name of a host.
    run(control_home, None, use, **WITHOUT_TLS | {"smtp_host": "a" * 64})


def test_a_server_that_closes_the_connection_did_not_refuse_the_mail(control_home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        closing = threading.Thread(target=lambda: server.accept()[0].close(), daemon=True)
        closing.start()

        async def use(world: World) -> None:
            read = await with_test_notice(world, Channel(ChannelKind.email, recipients=("ops@example.com",)))
            await send(world)
            (notice,) = await read()
            assert notice.detail == "the SMTP server did not answer in time, or closed the connection"

        port = server.getsockname()[1]
        run(control_home, None, use, smtp_port=port, **WITHOUT_TLS)
        closing.join()


def test_an_error_after_the_mail_was_accepted_causes_no_second_mail(control_home: Path) -> None:
    mailbox = Mailbox()
    mailbox.farewell = "500 what"
    with mail_server(mailbox) as port:

        async def use(world: World) -> None:
            read = await with_test_notice(world, Channel(ChannelKind.email, recipients=("ops@example.com",)))
            for _ in range(2):
                await send(world)
                world.clock.advance(600)
            assert [each.state for each in await read()] == ["sent"]
            assert len(mailbox.received) == 1

        run(control_home, None, use, smtp_port=port, **WITHOUT_TLS)
