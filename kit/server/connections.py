"""The open connections of a port, and which one is closed when there are too many."""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Final, Protocol

from kit.networks import NO_NETWORKS, Networks

IPV6_PREFIX = 64
"""Bits of an IPv6 address that name one client: providers hand out whole /64 networks."""


class Closable(Protocol):
    """The part of a connection that the count needs."""

    def evict(self) -> None:
        """Closes the connection immediately, because another one needs its place."""


@dataclass(frozen=True, slots=True)
class AddressLimit:
    """Largest number of connections of one client address."""

    connections: int = 0
    """Largest number; 0 means no limit."""
    unlimited: Networks = NO_NETWORKS
    """Addresses without a limit, such as proxies."""


UNLIMITED: Final = AddressLimit()


class Connections:
    """Connections of one port of one process.

    If the port is full, a new connection replaces the one that has been without a request in progress for the longest
    time. Idle connections and half-sent requests therefore cannot keep new clients out.
    """

    def __init__(self, limit: int, per_address: AddressLimit) -> None:
        self._limit = limit
        self._per_address = per_address
        self._clients: dict[Closable, str] = {}
        self._waiting: dict[Closable, None] = {}
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
        """Notes that the connection's request is being answered."""
        self._waiting.pop(connection, None)

    def waits(self, connection: Closable) -> None:
        """Marks the connection as idle from now on."""
        if connection in self._clients:
            self._waiting.pop(connection, None)
            self._waiting[connection] = None

    def remove(self, connection: Closable) -> None:
        """Forgets the connection. Does nothing if it is not counted."""
        client = self._clients.pop(connection, None)
        if client is None:
            return
        self._waiting.pop(connection, None)
        self._counts[client] -= 1
        if not self._counts[client]:
            del self._counts[client]


@lru_cache(maxsize=4096)
def client_of(address: str) -> str:
    """Returns the name of the client that owns an address: the IPv4 address, or the IPv6 /64 network."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed.packed, IPV6_PREFIX), strict=False))
