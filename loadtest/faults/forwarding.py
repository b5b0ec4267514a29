"""A TCP proxy with two threads per connection. Subclasses decide what happens to the bytes that clients send."""

import socket
import socketserver
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Any, Final, Self

_CHUNK: Final = 64 * 1024
_POLL_SECONDS: Final = 0.05
_NO_LINGER: Final = struct.pack("ii", 1, 0)
"""Value of SO_LINGER with which closing a socket discards unsent bytes. See socket(7)."""


@dataclass(frozen=True, eq=False, slots=True)
class Connection:
    """A client's connection to the proxy, and the proxy's connection to the target. Both end together."""

    client: socket.socket
    target: socket.socket

    def reset(self) -> None:
        """Ends both connections. Bytes that were not sent yet are discarded."""
        for each in (self.client, self.target):
            with suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.end()

    def end(self) -> None:
        """Ends the calls that wait for either connection. Their threads then close both."""
        for each in (self.client, self.target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


class ForwardingProxy(socketserver.ThreadingTCPServer):
    """Context manager that forwards connections to `target` (host, port). Its end ends all open connections."""

    request_queue_size = 128

    def __init__(self, target: tuple[str, int]) -> None:
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        self._target = target
        self._closing = False
        self.connections: set[Connection] = set()

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, args=(_POLL_SECONDS,), name="proxy", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._closing = True
        for connection in list(self.connections):
            connection.reset()
        self.server_close()  # waits for the threads of all connections

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that clients connect to."""
        host, port = self.socket.getsockname()
        return host, port

    def forward(self, chunk: bytes, connection: Connection) -> None:
        """Sends bytes of a client to the target. Subclasses may delay this, or end the connection."""
        connection.target.sendall(chunk)

    def finish_request(self, request: Any, _: Any) -> None:
        """Forwards one connection, in a thread of its own, until one side ends it."""
        with suppress(OSError), socket.create_connection(self._target) as target:
            connection = Connection(request, target)
            for each in (request, target):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            self.connections.add(connection)
            if self._closing:
                connection.reset()
            answering = Thread(target=_pump, args=(target, request.sendall, connection), name="proxy-answers")
            answering.start()
            try:
                _pump(request, lambda chunk: self.forward(chunk, connection), connection)
            finally:
                connection.end()
                answering.join()
                self.connections.remove(connection)


def _pump(source: socket.socket, send: Callable[[bytes], None], connection: Connection) -> None:
    """Passes on the bytes of one side until it ends, then ends both sides."""
    with suppress(OSError):
        while chunk := source.recv(_CHUNK):
            send(chunk)
    connection.end()
