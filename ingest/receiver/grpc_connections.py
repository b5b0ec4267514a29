"""Enforces the limit of gRPC connections per address, and the byte allowance of each connection.

gRPC's server limits only the connections in all. It does not report a connection before its first call, and cannot
close one on request. So this module uses the process's own descriptors: it shuts down a connection over the limit, and
gRPC then closes it.
"""

import asyncio
import os
import socket
import stat
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Final

from ingest.receiver.grpc_traffic import Peer, Traffic, peer_of
from kit import metrics
from kit.repeating import RepeatingTask
from kit.server.connections import AddressLimit, client_of

CHECK_SECONDS: Final = 1.0
"""Seconds between two checks, and so the longest life of a connection over a limit."""

DESCRIPTORS: Final = "/dev/fd"

CHECKED_AT_ONCE: Final = 32
"""Number of descriptors that are checked before other tasks run on the event loop. Each check takes 10 to 20 µs."""


class GrpcConnections:
    """The connections of one port. Keeps the oldest of each address, unless they send more than their allowance."""

    def __init__(self, port: int, limit: AddressLimit, traffic: Traffic) -> None:
        self._port = port
        self._limit = limit
        self._traffic = traffic
        self._seen: dict[Peer, int] = {}
        self._numbers = count(1)

    def watching(self) -> RepeatingTask:
        """Returns the loop that checks every CHECK_SECONDS. The caller starts and cancels it."""
        return RepeatingTask("grpc-connections", CHECK_SECONDS, self.check)

    async def check(self) -> None:
        """Shuts down the connections that exceed a limit."""
        found = {peer: (fd, too_much) async for fd, peer, too_much in self._connections()}
        self._traffic.forget(found.keys())
        self._seen = {peer: self._seen.get(peer) or next(self._numbers) for peer in found}
        kept: Counter[str] = Counter()
        for peer in sorted(found, key=self._seen.__getitem__):
            fd, too_much = found[peer]
            client = client_of(str(peer[0]))
            kept[client] += not too_much
            if too_much:
                _shut(fd, peer, "grpc_traffic")
            elif 0 < self._limit.connections < kept[client] and str(peer[0]) not in self._limit.unlimited:
                _shut(fd, peer, "connections")

    async def _connections(self) -> AsyncIterator[tuple[int, Peer, bool]]:
        """Yields each connection accepted on the port: its descriptor, its peer, and whether it sent too much."""
        for place, name in enumerate(os.listdir(DESCRIPTORS)):
            if place % CHECKED_AT_ONCE == 0:
                await asyncio.sleep(0)
            fd = int(name)
            if (found := self._found(fd)) is not None:
                yield found

    def _found(self, fd: int) -> tuple[int, Peer, bool] | None:
        # The listening socket and connections that were closed just now raise OSError.
        with _internet_socket(fd) as connection, suppress(OSError):
            if connection is not None and connection.getsockname()[1] == self._port:
                peer = _peer(connection)
                return fd, peer, self._traffic.exceeds(peer, connection)
        return None


def _peer(connection: socket.socket) -> Peer:
    host, port = connection.getpeername()[:2]
    return peer_of(host, port)


def _shut(fd: int, peer: Peer, reason: str) -> None:
    with _internet_socket(fd) as connection, suppress(OSError):
        # The number may belong to another connection by now.
        if connection is not None and _peer(connection) == peer:
            connection.shutdown(socket.SHUT_RDWR)
            metrics.counter(metrics.HTTP_REFUSED).add(1, {"reason": reason})


@contextmanager
def _internet_socket(fd: int) -> Iterator[socket.socket | None]:
    """Yields the descriptor's internet socket; None if it is another kind of file, or closed.

    Opens and closes no descriptor. If a second descriptor of a file were closed, all locks of the process on the file
    would be released (fcntl(2)), and SQLite would no longer notice that another process removed the file.
    """
    try:
        is_socket = stat.S_ISSOCK(os.fstat(fd).st_mode)
        connection = socket.socket(fileno=fd) if is_socket else None
    except OSError:
        connection = None
    if connection is None:
        yield None
        return
    try:
        yield connection if connection.family in (socket.AF_INET, socket.AF_INET6) else None
    finally:
        connection.detach()
