"""Limits the bytes that a gRPC connection may send, by the calls it has made.

gRPC keeps reading headers that never end, and never reports their call. Bytes that belong to no known call, in headers
or other frames, therefore count against a fixed allowance of each connection.
"""

import socket
import struct
import sys
from collections.abc import Set
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, TypeAlias
from urllib.parse import unquote

Peer: TypeAlias = tuple[IPv4Address | IPv6Address, int]
"""Address and port of a connection's other end."""

FREE_BYTES: Final = 32 * 2**20
"""Allowance of a connection in bytes, besides its calls: TLS handshake, settings, pings, and headers of calls that are
refused before they are known."""

CALL_ALLOWANCE_BYTES: Final = 256 * 2**10
"""Allowance of a call in bytes before its message is received: metadata, and its part of the flow control windows."""

_BYTES_RECEIVED: Final = slice(128, 136)
"""`tcpi_bytes_received` in Linux's `struct tcp_info` (linux/tcp.h)."""


class Traffic:
    """Byte allowances of the connections of one port, by peer. May be used from any thread."""

    def __init__(self) -> None:
        self._allowed: dict[Peer, int] = {}
        self._absent: set[Peer] = set()

    def called(self, peer: str, message: int = 0) -> None:
        """Raises the peer's allowance: for a new call, or for receiving a message of at most `message` bytes."""
        key = _named(peer)
        if key is None:
            return
        # Frames and TLS add bytes to those of a message: a sixteenth is allowed for them.
        self._allowed[key] = self._allowed.get(key, FREE_BYTES) + (message + message // 16 or CALL_ALLOWANCE_BYTES)

    def exceeds(self, peer: Peer, connection: socket.socket) -> bool:
        """Returns whether the connection has sent more than its allowance."""
        return _received(connection) > self._allowed.get(peer, FREE_BYTES)

    def forget(self, there: Set[Peer]) -> None:
        """Forgets connections that two checks in a row did not find. One check is not enough, because it may have
        started before the connection was opened."""
        absent = self._allowed.keys() - there
        for peer in absent & self._absent:
            self._allowed.pop(peer, None)
        self._absent = set(absent)


@lru_cache(maxsize=4096)
def _named(peer: str) -> Peer | None:
    """Returns the address in gRPC's name of a peer. Returns None for a peer that is not an internet socket: its
    connection has no limit."""
    host, _, port = unquote(peer).partition(":")[2].rpartition(":")
    return peer_of(host.strip("[]"), int(port)) if port.isdigit() else None


def peer_of(host: str, port: int) -> Peer:
    """Returns the peer in the form in which names from gRPC and from the operating system are equal."""
    address = ip_address(host.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address, port


def _received(connection: socket.socket) -> int:
    """Returns the bytes received over the connection; 0 on systems that do not count them."""
    if sys.platform != "linux":
        return 0
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    counted = info[_BYTES_RECEIVED]
    return int(struct.unpack("=Q", counted)[0]) if len(counted) == 8 else 0
