"""Sends notices by e-mail through the installation's SMTP server."""

import smtplib
import ssl
from email.message import EmailMessage
from typing import Final

from backend.alerts.notices import Notice, one_line
from backend.times import format_time
from kit.settings import Settings

TIMEOUT_SECONDS: Final = 10.0
"""Longest wait for one answer of the SMTP server, in seconds."""


def message(sender: str, recipients: tuple[str, ...], notice_id: str, notice: Notice) -> EmailMessage:
    """Returns the e-mail of a notice. Each attempt has the same Message-ID, so that mail servers can recognise
    repeats."""
    mail = EmailMessage()
    mail["From"] = sender
    mail["To"] = ", ".join(recipients)
    mail["Subject"] = _subject(notice.text)
    mail["Message-ID"] = f"<{notice_id}@{sender.rpartition('@')[2] or 'logsieve'}>"
    mail["X-Logsieve-Notice"] = notice_id
    labels = "".join(f"\n{one_line(name)}: {one_line(value)}" for name, value in notice.labels.items())
    mail.set_content(
        f"{notice.text}\n\nsince: {format_time(notice.since_ns)}\nevaluated: {format_time(notice.at_ns)}\n"
        f"severity: {notice.severity}{labels}\n"
    )
    return mail


def _subject(text: str) -> str:
    """Returns a subject of at most 200 characters.

    EmailMessage decodes encoded words (`=?utf-8?q?=0D=0A?=`) and, before Python 3.11.10, writes the line ends in them
    as they are (CVE-2024-6923). A record's value could therefore add headers and a body.
    """
    return " ".join(text.split()).replace("=?", "= ?")[:200]


def send_mail(settings: Settings, mail: EmailMessage) -> None:
    """Sends an e-mail to the SMTP server, and blocks until the server has accepted it. Raises OSError or
    smtplib.SMTPException."""
    if settings.smtp_host is None:
        raise OSError("the alert worker has no SMTP server: ask the operator to set `LOGSIEVE_SMTP_HOST`")
    if settings.smtp_security == "tls":
        context = ssl.create_default_context()
        server: smtplib.SMTP = smtplib.SMTP_SSL(
            settings.smtp_host, settings.smtp_port, timeout=TIMEOUT_SECONDS, context=context
        )
    else:
        server = smtplib.SMTP(settings.smtp_host, settings.smtp_port, timeout=TIMEOUT_SECONDS)
    with server:
        if settings.smtp_security == "starttls":
            server.starttls(context=ssl.create_default_context())
        if settings.smtp_user is not None and settings.smtp_password is not None:
            server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
        server.send_message(mail)
