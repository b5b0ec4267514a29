"""The client address of a request, also behind trusted proxies."""

from collections.abc import Sequence
from typing import Final, Protocol

from starlette.requests import HTTPConnection

from kit.networks import Networks

FORWARDED_FOR: Final = "x-forwarded-for"
"""Header, or gRPC metadata, to which each proxy on the way appends the address that it received the request from."""

CHARACTERS: Final = 64
"""Largest number of characters of an address. A client that reaches us as a trusted proxy can send any text as one."""


class Peer(Protocol):
    """The other end of a connection, as Starlette has it."""

    @property
    def host(self) -> str: ...


def connection_address(connection: HTTPConnection, trusted: Networks) -> str:
    """Returns the client address of an HTTP request. `trusted` has the trusted proxies."""
    return client_address(connection.client, connection.headers.getlist(FORWARDED_FOR) if trusted else (), trusted)


def client_address(peer: Peer | None, forwarded: Sequence[str], trusted: Networks) -> str:
    """Returns the peer's address. If the peer is a trusted proxy, returns the last address of X-Forwarded-For that is
    not a trusted proxy. Addresses before it are only claims of the client.

    `forwarded` has the header's lines in their order: a proxy may append a line instead of an address.
    """
    address = "unknown" if peer is None else peer.host[:CHARACTERS]  # uvicorn takes it from the header, too
    if not trusted:
        return address
    for each in reversed(",".join(forwarded).split(",")):
        if address not in trusted or not each.strip():
            break
        address = each.strip()[:CHARACTERS]
    return address
