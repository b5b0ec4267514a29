"""The client address of a request, also behind trusted proxies."""

import ipaddress
from collections.abc import Mapping
from functools import cache
from typing import Protocol


class Peer(Protocol):
    """The other end of a connection, as Starlette has it."""

    @property
    def host(self) -> str: ...


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def client_address(peer: Peer | None, headers: Mapping[str, str], trusted: str) -> str:
    """Returns the peer's address. If the peer is a trusted proxy, returns the last address of X-Forwarded-For that is
    not a trusted proxy. Addresses before it are only claims of the client.

    `trusted` has addresses and networks, separated by commas. Other text in it is ignored.
    """
    address = "unknown" if peer is None else peer.host
    if not trusted:
        return address
    for forwarded in reversed(headers.get("x-forwarded-for", "").split(",")):
        if not _is_trusted(address, trusted) or not forwarded.strip():
            break
        address = forwarded.strip()[:64]
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
