"""A uvicorn server that accepts connections itself.

uvicorn leaves that to the event loop, which takes all that wait in the kernel before it does anything else: a burst of
thousands, each of which is then a protocol, a parser and a request, stands before everyone's next answer. Here many are
taken from the kernel at little cost, counted, and begun a few at a time, one of each client in turn.

With certificates uvicorn also has one context for as long as it lives, and knows of a connection when its handshake is
over: handshakes that never end would be as many as a client likes.
"""

import asyncio
import socket
import ssl
from contextlib import suppress
from typing import Any, Final

import uvicorn

from kit.server.certificates import Certificates
from kit.server.connections import client_of
from kit.server.protocol import REFUSED_LINGER, LimitedHttp, refusal, refused

ACCEPTED_AT_ONCE: Final = 128
"""Connections taken from the kernel before others get their turn on the event loop."""

PAUSE_SECONDS: Final = 1.0
"""Time without new connections after the process ran out of descriptors."""

LINGER_SECONDS: Final = 1.0
"""Time that a refused connection stays open for its client to read the answer."""


class HttpServer(uvicorn.Server):
    """Serves the sockets that it is given: over TLS where there are certificates."""

    def __init__(self, config: uvicorn.Config, certificates: Certificates | None = None) -> None:
        super().__init__(config)
        self._certificates = certificates
        self._listeners: list[socket.socket] = []
        self._waiting: set[_Accepted] = set()
        self._beginning: set[asyncio.Task[None]] = set()
        self._lingering: set[socket.socket] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if sockets is None:
            raise ValueError("HttpServer serves listening sockets that it is given")
        await super().startup([])
        for listener in sockets:
            listener.setblocking(False)
            self._listeners.append(listener)
            self._listen(listener)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self._listeners:
            asyncio.get_running_loop().remove_reader(listener)
        self._listeners.clear()
        for accepted in self._waiting:
            accepted.close()
        for beginning in self._beginning:
            beginning.cancel()
        for connection in list(self._lingering):
            self._end(connection)
        await super().shutdown(sockets)

    def _listen(self, listener: socket.socket) -> None:
        if listener in self._listeners:
            asyncio.get_running_loop().add_reader(listener, self._accept, listener)

    def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                connection, address = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                break
            except OSError:
                loop.remove_reader(listener)
                loop.call_later(PAUSE_SECONDS, self._listen, listener)
                break
            connection.setblocking(False)
            self._admit(connection, address[0])

    def _admit(self, connection: socket.socket, address: str) -> None:
        accepted = _Accepted(connection, self._protocol_class)
        reason = accepted.counted.admit(accepted, address)
        if reason is None:
            self._waiting.add(accepted)
            accepted.turns.wait(client_of(address), lambda: self._begin(accepted))
            return
        refused("connections")
        if self._certificates is not None or len(self._lingering) >= REFUSED_LINGER:
            connection.close()
            return
        with suppress(OSError):
            connection.send(refusal(503, f"{reason}; try again later"))
            connection.shutdown(socket.SHUT_WR)
        self._lingering.add(connection)
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self._end, connection)

    def _end(self, connection: socket.socket) -> None:
        self._lingering.discard(connection)
        connection.close()

    def _begin(self, accepted: "_Accepted") -> None:
        self._waiting.discard(accepted)
        if not accepted.closed:
            task = accepted.begin(self._protocol(), self._certificates)
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)

    @property
    def _protocol_class(self) -> type[LimitedHttp]:
        made: Any = self.config.http_protocol_class
        protocol: type[LimitedHttp] = made
        return protocol

    def _protocol(self) -> LimitedHttp:
        return self._protocol_class(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)


class _Accepted:
    """A connection that is counted and has no protocol yet."""

    def __init__(self, connection: socket.socket, protocol: type[LimitedHttp]) -> None:
        self.counted = protocol.open_connections
        self.turns = protocol.turns
        self.closed = False
        self._connection = connection
        self._task: asyncio.Task[None] | None = None

    def begin(self, http: LimitedHttp, certificates: Certificates | None) -> asyncio.Task[None]:
        """Hands the connection to the protocol, over TLS where there are certificates."""
        self._task = asyncio.create_task(self._begin(http, certificates), name="http-connection")
        return self._task

    def evict(self) -> None:
        """Closes it to make room for another."""
        refused("evicted")
        if self._task is None:
            self.close()
        else:
            self._task.cancel()

    def close(self) -> None:
        """Closes a connection that was not begun."""
        self.closed = True
        self.counted.gone(self)
        self._connection.close()

    async def _begin(self, http: LimitedHttp, certificates: Certificates | None) -> None:
        http.accepted = self
        loop = asyncio.get_running_loop()
        try:
            if certificates is None:
                await loop.connect_accepted_socket(lambda: http, self._connection)
            else:
                await loop.connect_accepted_socket(
                    lambda: http,
                    self._connection,
                    ssl=certificates.current().context,
                    ssl_handshake_timeout=http.limits.head_seconds,
                )
        except (OSError, ssl.SSLError):
            if certificates is not None:
                refused("tls")
            self._connection.close()
        except asyncio.CancelledError:
            self._connection.close()
            raise
        finally:
            self.counted.gone(self)
