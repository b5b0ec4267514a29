"""Sends notices by e-mail through the installation's SMTP server."""

import smtplib
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Final

from backend.alerts.notices import Notice, one_line
from backend.times import format_time
from kit.mail_address import address_of_sender
from kit.settings import Settings

TIMEOUT_SECONDS: Final = 10.0
"""Longest wait for one answer of the SMTP server, in seconds."""


class NoMailServer(OSError):
    """The alert worker has no SMTP server."""

    def __init__(self) -> None:
        super().__init__(
            "the alert worker has no SMTP server, so no e-mail was sent: ask the operator to set `LOGSIEVE_SMTP_HOST` "
            "for the alert worker too"
        )


class RecipientsRefused(Exception):
    """The SMTP server refused recipients of an e-mail. `codes` has its reply code for each of them.

    If `were_others_accepted` is true, the server has accepted the e-mail for all other recipients. Otherwise nobody
    gets it.
    """

    def __init__(self, codes: Mapping[str, int], *, were_others_accepted: bool) -> None:
        super().__init__(f"the SMTP server refused recipients: {len(codes)}")
        self.codes = codes
        self.were_others_accepted = were_others_accepted

    @property
    def detail(self) -> str:
        """Reason for the history of the rule. It contains the addresses, so log lines must not have it."""
        refused = ", ".join(f"{address} ({code})" for address, code in self.codes.items())
        others = "; all other recipients got the e-mail" if self.were_others_accepted else ""
        return f"the SMTP server refused {refused}{others}"

    @property
    def is_final(self) -> bool:
        """True if a further attempt cannot succeed, because each reply is a permanent one (RFC 5321, 4.2.1)."""
        return all(code >= 500 for code in self.codes.values())


def message(sender: str, recipients: tuple[str, ...], notice_id: str, notice: Notice, now_ns: int) -> EmailMessage:
    """Returns the e-mail of a notice. Each attempt has the same Message-ID, so that mail servers can recognise
    repeats. `now_ns` is the time of the attempt, in nanoseconds since the Unix epoch."""
    mail = EmailMessage()
    # Required by RFC 5322, 3.6. The SMTP library does not add it.
    mail["Date"] = datetime.fromtimestamp(now_ns // 10**9, UTC)
    mail["From"] = sender
    # If the server refuses all recipients, the SMTP library notices it only if none of them is repeated.
    mail["To"] = ", ".join(dict.fromkeys(recipients))
    mail["Subject"] = _subject(notice.text)
    mail["Message-ID"] = f"<{notice_id}@{(address_of_sender(sender) or '').rpartition('@')[2] or 'logsieve'}>"
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
    """Sends an e-mail to the SMTP server, and blocks until the server has accepted it for all recipients.

    Raises RecipientsRefused, also if the server has accepted it for some recipients; NoMailServer; OSError or
    smtplib.SMTPException.
    """
    if settings.smtp_host is None:
        raise NoMailServer
    if settings.smtp_security == "tls":
        context = ssl.create_default_context()
        server: smtplib.SMTP = smtplib.SMTP_SSL(
            settings.smtp_host, settings.smtp_port, timeout=TIMEOUT_SECONDS, context=context
        )
    else:
        server = smtplib.SMTP(settings.smtp_host, settings.smtp_port, timeout=TIMEOUT_SECONDS)
    with closing(server):
        if settings.smtp_security == "starttls":
            server.starttls(context=ssl.create_default_context())
        if settings.smtp_user is not None and settings.smtp_password is not None:
            server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
        try:
            refused = server.send_message(mail)
        except smtplib.SMTPRecipientsRefused as error:
            raise RecipientsRefused(_codes(error.recipients), were_others_accepted=False) from None
        # The server has accepted the e-mail, so an error at the end of the session must not cause another attempt.
        with suppress(OSError):
            server.quit()
    if refused:
        raise RecipientsRefused(_codes(refused), were_others_accepted=True)


def _codes(refused: Mapping[str, tuple[int, bytes]]) -> dict[str, int]:
    return {address: code for address, (code, _) in refused.items()}
