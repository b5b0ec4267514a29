"""An SMTP server on loopback, with TLS from the start, with STARTTLS, or without TLS."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiosmtpd.controller import Controller

from tests.tls.certificates import Certificate


class Mailbox:
    """Takes e-mails. `received` has the recipients and the text of each."""

    def __init__(self) -> None:
        self.received: list[tuple[list[str], bytes]] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 aiosmtpd's name
        self.received.append((envelope.rcpt_tos, envelope.content))
        return "250 taken"


@contextmanager
def mail_server(mailbox: Mailbox, certificate: Certificate | None = None, security: str = "none") -> Iterator[int]:
    """Runs the server within the block and yields its port. `security` is a value of `smtp_security` of settings."""
    context = None
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate.chain, certificate.key)
    options: dict[str, Any] = {"ssl_context": context} if security == "tls" else {"tls_context": context}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    server = Controller(mailbox, hostname="127.0.0.1", port=port, **options)
    server.start()
    try:
        yield port
    finally:
        server.stop()
