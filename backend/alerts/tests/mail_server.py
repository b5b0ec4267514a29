"""An SMTP server on loopback, with TLS from the start, with STARTTLS, or without TLS."""

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from aiosmtpd.controller import Controller

from tests.tls.certificates import Certificate


class Mailbox:
    """Takes e-mails. `received` has the recipients and the text of each.

    `refusals` has the reply codes of the first attempts to send to an address. Later attempts are accepted.
    """

    def __init__(self, refusals: Mapping[str, Iterable[int]] | None = None) -> None:
        self.received: list[tuple[list[str], bytes]] = []
        self.farewell = "221 bye"
        """Reply to QUIT, which ends a session."""
        self._refusals = {address: deque(codes) for address, codes in (refusals or {}).items()}

    async def handle_RCPT(  # noqa: N802 aiosmtpd's name
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if codes := self._refusals.get(address):
            return f"{codes.popleft()} refused"
        envelope.rcpt_tos.append(address)
        return "250 accepted"

    async def handle_QUIT(self, _server: Any, _session: Any, _envelope: Any) -> str:  # noqa: N802 aiosmtpd's name
        return self.farewell

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 aiosmtpd's name
        self.received.append((envelope.rcpt_tos, envelope.content))
        return "250 taken"


class _ListeningController(Controller):
    """A controller with a socket that listens already. Between the choice of a port and its use, another process could
    take the port."""

    def __init__(self, mailbox: Mailbox, listener: socket.socket, **options: Any) -> None:
        host, port = listener.getsockname()
        super().__init__(mailbox, hostname=host, port=port, **options)
        self._listener = listener

    def _create_server(self) -> Awaitable[asyncio.AbstractServer]:
        return self.loop.create_server(self._factory_invoker, sock=self._listener, ssl=self.ssl_context)


@contextmanager
def mail_server(mailbox: Mailbox, certificate: Certificate | None = None, security: str = "none") -> Iterator[int]:
    """Runs the server within the block and yields its port. `security` is a value of `smtp_security` of settings."""
    context = None
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate.chain, certificate.key)
    options: dict[str, Any] = {"ssl_context": context} if security == "tls" else {"tls_context": context}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = _ListeningController(mailbox, listener, **options)
        server.start()
        try:
            yield server.port
        finally:
            server.stop()
