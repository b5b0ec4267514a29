"""A uvicorn server that accepts connections and does TLS handshakes itself.

In one iteration of the event loop, uvloop accepts one connection, and asyncio accepts all that wait. In both cases, a
flood of connections delays other clients. uvicorn also keeps one SSL context as long as it runs. It learns of a
connection only after the TLS handshake, so a client could open any number of handshakes that never end.
"""

import asyncio
import socket
import ssl

import uvicorn

from kit.server.certificates import Certificates
from kit.server.connections import count_refused
from kit.server.protocol import LimitedHttp

ACCEPTED_AT_ONCE = 32
"""Largest number of connections that are accepted before other tasks run on the event loop."""

PAUSE_SECONDS = 1.0
"""Seconds for which no connection is accepted after the process ran out of file descriptors."""


class AcceptingServer(uvicorn.Server):
    """A uvicorn server that counts a connection against the limit before its TLS handshake.

    Without certificates it serves plain HTTP. It serves given sockets only.
    """

    def __init__(self, config: uvicorn.Config, certificates: Certificates | None = None) -> None:
        super().__init__(config)
        self._certificates = certificates
        self._listeners: list[socket.socket] = []
        self._starting: set[asyncio.Task[None]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([])
        for listener in sockets or ():
            listener.setblocking(False)
            self._listeners.append(listener)
            self._listen(listener)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self._listeners:
            asyncio.get_running_loop().remove_reader(listener)
        self._listeners.clear()
        for task in self._starting:
            task.cancel()
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
                return
            except OSError:
                loop.remove_reader(listener)
                loop.call_later(PAUSE_SECONDS, self._listen, listener)
                return
            connection.setblocking(False)
            task = self._start(connection, address[0])
            if task is not None:
                self._starting.add(task)
                task.add_done_callback(self._starting.discard)

    def _start(self, connection: socket.socket, address: str) -> asyncio.Task[None] | None:
        """Returns the task that hands the connection over to the protocol; None if the connection was refused."""
        if self._certificates is None:
            return asyncio.create_task(_serve(connection, self._protocol()), name="accept")
        handshake = _Handshake(connection, self._protocol(), self._certificates)
        if handshake.http.open_connections.admit(handshake, address) is None:
            return handshake.start()
        count_refused("connections")
        connection.close()
        return None

    def _protocol(self) -> LimitedHttp:
        http: LimitedHttp = self.config.http_protocol_class(  # type: ignore[call-arg,assignment]  # as uvicorn does
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return http


async def _serve(connection: socket.socket, http: LimitedHttp) -> None:
    """Hands a connection without TLS over to the protocol, which refuses it if it exceeds a limit."""
    try:
        await asyncio.get_running_loop().connect_accepted_socket(lambda: http, connection)
    except OSError:
        connection.close()
    except asyncio.CancelledError:
        connection.close()
        raise


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
        count_refused("evicted")
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
            count_refused("tls")
            self._connection.close()
        except asyncio.CancelledError:
            self._connection.close()
            raise
        finally:
            self.http.open_connections.remove(self)
