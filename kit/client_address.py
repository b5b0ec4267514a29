"""The client address of a request, also behind trusted proxies."""

import ipaddress
from collections.abc import Sequence
from functools import cache
from typing import Final, Protocol

from starlette.requests import HTTPConnection

FORWARDED_FOR: Final = "x-forwarded-for"
"""Header, or gRPC metadata, to which each proxy on the way appends the address that it received the request from."""


class Peer(Protocol):
    """The other end of a connection, as Starlette has it."""

    @property
    def host(self) -> str: ...


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def connection_address(connection: HTTPConnection, trusted: str) -> str:
    """Returns the client address of an HTTP request. `trusted` is that of `client_address`."""
    return client_address(connection.client, connection.headers.getlist(FORWARDED_FOR) if trusted else (), trusted)


def client_address(peer: Peer | None, forwarded: Sequence[str], trusted: str) -> str:
    """Returns the peer's address. If the peer is a trusted proxy, returns the last address of X-Forwarded-For that is
    not a trusted proxy. Addresses before it are only claims of the client.

    `forwarded` has the header's lines in their order: a proxy may append a line instead of an address. `trusted` has
    addresses and networks, separated by commas. Other text in it is ignored.
    """
    address = "unknown" if peer is None else peer.host
    if not trusted:
        return address
    for each in reversed(",".join(forwarded).split(",")):
        if not _is_trusted(address, trusted) or not each.strip():
            break
        address = each.strip()[:64]
    return address


def _is_trusted(address: str, trusted: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in _networks(trusted))


@cache
def _networks(trusted: str) -> tuple[Network, ...]:
    networks: list[Network] = []
    for each in trusted.split(","):
        try:
            networks.append(ipaddress.ip_network(each.strip(), strict=False))
        except ValueError:
            continue
    return tuple(networks)
