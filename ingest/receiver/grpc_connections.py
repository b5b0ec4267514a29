"""Holds each address to its number of gRPC connections.

gRPC's server limits connections in all, and neither tells of one before its first call nor closes one on request. The
process's own descriptors do: a connection over the limit is shut down under gRPC, which then closes it.
"""

import asyncio
import os
import socket
import stat
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Final, TypeAlias

from kit import metrics
from kit.repeating import RepeatingTask
from kit.server.connections import AddressLimit, client_of

LOOK_SECONDS: Final = 1.0
"""Time between two looks, which is how long a connection over the limit may live."""

DESCRIPTORS: Final = "/dev/fd"

LOOKED_AT_ONCE: Final = 32
"""Descriptors looked at before others get their turn on the event loop; each costs 10 to 20 µs."""

Peer: TypeAlias = tuple[str, int]


class GrpcConnections:
    """The connections of one port. Keeps the oldest of each address."""

    def __init__(self, port: int, limit: AddressLimit) -> None:
        self._port = port
        self._limit = limit
        self._seen: dict[Peer, int] = {}
        self._numbers = count()

    def watching(self) -> RepeatingTask:
        """Returns the loop that looks every second, to be started and cancelled."""
        return RepeatingTask("grpc-connections", LOOK_SECONDS, self.look)

    async def look(self) -> None:
        """Shuts down what is over the limit."""
        if not self._limit.most or len(os.listdir(DESCRIPTORS)) <= self._limit.most:
            self._seen.clear()
            return
        peers = [found async for found in _peers(self._port)]
        there = sorted((self._seen.get(peer) or next(self._numbers), peer, fd) for fd, peer in peers)
        self._seen = {peer: number for number, peer, _ in there}
        kept: Counter[str] = Counter()
        closed = 0
        for _, peer, fd in there:
            client = client_of(peer[0])
            kept[client] += 1
            if kept[client] > self._limit.most and not self._limit.is_unlimited(peer[0]):
                closed += _shut(fd, peer)
        if closed:
            metrics.counter(metrics.HTTP_REFUSED).add(closed, {"reason": "connections"})


async def _peers(port: int) -> AsyncIterator[tuple[int, Peer]]:
    """Descriptors of connections that were accepted on the port, and their other ends."""
    for place, name in enumerate(os.listdir(DESCRIPTORS)):
        if place % LOOKED_AT_ONCE == 0:
            await asyncio.sleep(0)
        fd = int(name)
        with _opened(fd) as connection:
            if connection is not None and connection.getsockname()[1] == port:
                with suppress(OSError):  # the listening socket, or one that was closed just now
                    yield fd, connection.getpeername()[:2]


def _shut(fd: int, peer: Peer) -> bool:
    with _opened(fd) as connection, suppress(OSError):
        # The number may be another connection's by now.
        if connection is not None and connection.getpeername()[:2] == peer:
            connection.shutdown(socket.SHUT_RDWR)
            return True
    return False


@contextmanager
def _opened(fd: int) -> Iterator[socket.socket | None]:
    """The descriptor's internet socket, under a number of our own; None where it is none, or gone."""
    try:
        own = os.dup(fd)
    except OSError:
        yield None
        return
    if not stat.S_ISSOCK(os.fstat(own).st_mode):
        os.close(own)
        yield None
        return
    with socket.socket(fileno=own) as connection:
        yield connection if connection.family in (socket.AF_INET, socket.AF_INET6) else None
