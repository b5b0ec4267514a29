"""Tests that values of records cannot add headers or lines to an e-mail."""

from dataclasses import replace
from email import message_from_bytes

from backend.alerts.mail import message
from backend.alerts.tests.firing import FIRING

ENCODED = "x =?utf-8?q?=0D=0AReply-To:_a@evil=0D=0A=0D=0AYour_password?="


def test_a_value_adds_no_header_and_no_line() -> None:
    notice = replace(
        FIRING,
        rule=ENCODED,
        labels={"team": "a\nseverity: none"},
        group=(f"{ENCODED}\r\n\r\n[RESOLVED] nothing",),
    )
    mail = message_from_bytes(bytes(message("logsieve@example.com", ("ops@example.com",), "id", notice, 0)))
    assert "Reply-To" not in mail
    assert str(mail["Subject"]).startswith("[FIRING]")
    text = str(mail.get_payload(decode=False))
    assert [line for line in text.splitlines() if line.startswith(("[", "severity", "Your"))] == [
        text.splitlines()[0],
        "severity: critical",
    ]
