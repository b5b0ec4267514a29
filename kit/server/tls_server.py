"""A uvicorn server that does the TLS handshakes itself.

uvicorn keeps one SSL context for its whole life, and learns of a connection only after its handshake. So a client could
open any number of handshakes that never end.
"""

import asyncio
import socket
import ssl

import uvicorn

from kit.server.certificates import Certificates
from kit.server.connections import refused
from kit.server.protocol import LimitedHttp

ACCEPTED_AT_ONCE = 100
"""Largest number of connections that are accepted before other tasks run on the event loop."""

PAUSE_SECONDS = 1.0
"""Seconds without new connections after the process ran out of descriptors."""


class TlsServer(uvicorn.Server):
    """A uvicorn server that does TLS handshakes itself and counts each against the limit of connections.

    Without certificates it serves plain HTTP as uvicorn does.
    """

    def __init__(self, config: uvicorn.Config, certificates: Certificates | None = None) -> None:
        super().__init__(config)
        self._certificates = certificates
        self._listeners: list[socket.socket] = []
        self._handshakes: set[asyncio.Task[None]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._certificates is None or sockets is None:
            await super().startup(sockets)
            return
        await super().startup([])
        for listener in sockets:
            listener.setblocking(False)
            self._listeners.append(listener)
            self._listen(listener, self._certificates)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self._listeners:
            asyncio.get_running_loop().remove_reader(listener)
        self._listeners.clear()
        for handshake in self._handshakes:
            handshake.cancel()
        await super().shutdown(sockets)

    def _listen(self, listener: socket.socket, certificates: Certificates) -> None:
        if listener in self._listeners:
            asyncio.get_running_loop().add_reader(listener, self._accept, listener, certificates)

    def _accept(self, listener: socket.socket, certificates: Certificates) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                connection, address = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError:
                loop.remove_reader(listener)
                loop.call_later(PAUSE_SECONDS, self._listen, listener, certificates)
                return
            connection.setblocking(False)
            handshake = _Handshake(connection, self._protocol(), certificates)
            if handshake.http.open_connections.admit(handshake, address[0]) is not None:
                refused("connections")
                connection.close()
                continue
            task = handshake.start()
            self._handshakes.add(task)
            task.add_done_callback(self._handshakes.discard)

    def _protocol(self) -> LimitedHttp:
        http: LimitedHttp = self.config.http_protocol_class(  # type: ignore[call-arg,assignment]  # as uvicorn does
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return http


class _Handshake:
    """A counted connection whose TLS handshake is not over."""

    def __init__(self, connection: socket.socket, http: LimitedHttp, certificates: Certificates) -> None:
        self.http = http
        self._connection = connection
        self._certificates = certificates

    def start(self) -> asyncio.Task[None]:
        self._task = asyncio.create_task(self._negotiate(), name="tls-handshake")
        return self._task

    def evict(self) -> None:
        """Closes the connection to make room for another."""
        refused("evicted")
        self._task.cancel()

    async def _negotiate(self) -> None:
        self.http.handshake = self
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: self.http,
                self._connection,
                ssl=self._certificates.current().context,
                ssl_handshake_timeout=self.http.limits.head_seconds,
            )
        except (OSError, ssl.SSLError):
            refused("tls")
            self._connection.close()
        except asyncio.CancelledError:
            self._connection.close()
            raise
        finally:
            self.http.open_connections.remove(self)
