"""The open connections of a port, and which one is closed when there are too many."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Any, Final, Protocol
from weakref import ref

from kit import metrics
from kit.counts import decrease
from kit.networks import NO_NETWORKS, Networks

IPV6_PREFIX = 64
"""Bits of an IPv6 address that name one client: providers hand out whole /64 networks."""

PROTECTED_PART = 64
"""Divisor of a port's limit of connections: at most this part of them may be protected for one tenant."""

CONNECTION: Final = "logsieve.connection"
"""ASGI extension of a request: a weak reference to its connection, which is a RequestConnection."""


class Closable(Protocol):
    """The part of a connection that the count needs."""

    def evict(self) -> None:
        """Closes the connection immediately, because another one needs its place."""


class RequestConnection(Protocol):
    """The part of a connection that the application may use while it answers a request.

    Without `protect` and `release`, a full port closes the connection for another one while the request's body arrives
    or its answer is not read, and otherwise keeps it.
    """

    def protect(self, owner: int) -> None:
        """Keeps the connection open while the body arrives, unless the owner has too many such connections."""

    def release(self) -> None:
        """Allows a full port to close this connection in favour of a new one, although the request is not answered
        yet. The permission ends with the answer."""

    def drop_unread(self) -> None:
        """Closes the connection immediately, because its client does not read the answer. Frees the bytes that the
        client has not read."""


def connection_of(scope: Mapping[str, Any]) -> RequestConnection | None:
    """Returns the connection of an ASGI request; None if it is closed or if the server is not ours."""
    found: ref[RequestConnection] | None = scope.get("extensions", {}).get(CONNECTION, {}).get("ref")
    return None if found is None else found()


@dataclass(frozen=True, slots=True)
class AddressLimit:
    """Largest number of connections of one client address."""

    connections: int = 0
    """Largest number of open connections of one address; 0 means no limit."""
    unlimited: Networks = NO_NETWORKS
    """Addresses without a limit, such as proxies."""


UNLIMITED: Final = AddressLimit()


class Connections:
    """Connections of one port of one process.

    If the port is full, a new connection replaces the one that has waited for its client for the longest time: for a
    request, for the rest of one, or for the client to read an answer. Clients that send or read nothing therefore
    cannot keep new clients out. A connection whose request the server is working on is not replaced,
    unless the application released it.
    """

    def __init__(self, limit: int, per_address: AddressLimit) -> None:
        self._limit = limit
        self._per_address = per_address
        self._clients: dict[Closable, str] = {}
        self._waiting: dict[Closable, None] = {}
        self._owners: dict[Closable, int] = {}  # of the protected connections
        self._protected: Counter[int] = Counter()  # number of protected connections of each owner
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._clients)

    def admit(self, connection: Closable, address: str) -> str | None:
        """Counts a new connection. Returns the reason if the connection is refused, otherwise None."""
        client = client_of(address)
        limit = self._per_address
        if limit.connections and self._counts[client] >= limit.connections and address not in limit.unlimited:
            return "too many connections from this address"
        if len(self._clients) >= self._limit:
            if not self._waiting:
                return "too many connections"
            oldest = next(iter(self._waiting))
            self.remove(oldest)
            oldest.evict()
        self._clients[connection] = client
        self._counts[client] += 1
        self._waiting[connection] = None
        return None

    def busy(self, connection: Closable) -> None:
        """Notes that the server is working on the connection's request."""
        self._forget_state(connection)

    def waits(self, connection: Closable) -> None:
        """Notes that the connection waits for its client from now on."""
        if connection in self._clients:
            self._forget_state(connection)
            self._waiting[connection] = None

    def protect(self, connection: Closable, owner: int) -> None:
        """Keeps a waiting connection from being replaced, until its state changes.

        Does nothing if the owner already has as many protected connections as it may have: its part of the limit.
        """
        if connection in self._waiting and self._protected[owner] < max(1, self._limit // PROTECTED_PART):
            del self._waiting[connection]
            self._owners[connection] = owner
            self._protected[owner] += 1

    def remove(self, connection: Closable) -> None:
        """Forgets the connection. Does nothing if it is not counted."""
        client = self._clients.pop(connection, None)
        if client is None:
            return
        self._forget_state(connection)
        decrease(self._counts, client)

    def _forget_state(self, connection: Closable) -> None:
        self._waiting.pop(connection, None)
        owner = self._owners.pop(connection, None)
        if owner is not None:
            decrease(self._protected, owner)


def count_refused(reason: str) -> None:
    """Counts a connection that a limit closed."""
    metrics.counter(metrics.HTTP_REFUSED).add(1, {"reason": reason})


def client_of(address: str) -> str:
    """Returns the name of the client that owns an address: the IPv4 address, or the IPv6 /64 network. Returns text that
    is no address as it is."""
    return client_of_address(address) or address


@lru_cache(maxsize=4096)
def client_of_address(address: str) -> str | None:
    """Returns the name of the client that owns an address like `client_of`; None for text that is no address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    if parsed.version == 4:
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed.packed, IPV6_PREFIX), strict=False))
