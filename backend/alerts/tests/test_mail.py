"""Tests that values of records cannot add headers or lines to an e-mail."""

from email import message_from_bytes

from backend.alerts.content import Comparison, Severity
from backend.alerts.mail import message
from backend.alerts.notices import Notice, NoticeKind

ENCODED = "x =?utf-8?q?=0D=0AReply-To:_a@evil=0D=0A=0D=0AYour_password?="


def test_a_value_adds_no_header_and_no_line() -> None:
    notice = Notice(
        kind=NoticeKind.firing,
        rule_id="000000000001",
        rule=f"{ENCODED}",
        severity=Severity.critical,
        labels={"team": "a\nseverity: none"},
        group=(f"{ENCODED}\r\n\r\n[RESOLVED] nothing",),
        column="count()",
        comparison=Comparison.above,
        threshold=5.0,
        value=6.0,
        since_ns=0,
        at_ns=1,
    )
    mail = message_from_bytes(bytes(message("logsieve@example.com", ("ops@example.com",), "id", notice)))
    assert "Reply-To" not in mail
    assert str(mail["Subject"]).startswith("[FIRING]")
    text = str(mail.get_payload(decode=False))
    assert [line for line in text.splitlines() if line.startswith(("[", "severity", "Your"))] == [
        text.splitlines()[0],
        "severity: critical",
    ]
