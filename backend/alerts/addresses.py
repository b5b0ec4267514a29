"""Decides which IP addresses webhooks may reach, and resolves host names to allowed addresses only.

A user of one tenant chooses the URL of a webhook. Without this check, a webhook could reach services that only this
installation can reach (server-side request forgery).
"""

import socket
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from kit.networks import Networks

_ASSIGNED: Final = IPv6Network("2000::/3")
"""IPv6 addresses that IANA assigns to networks (IANA, "Internet Protocol Version 6 Address Space")."""


_REFUSED: Final = (
    "so no request was sent: use a host with a public address, or ask the operator to add the network to "
    "`LOGSIEVE_ALERTS_WEBHOOK_NETWORKS`"
)


class AddressRefused(OSError):
    """A webhook's URL has an IP address that webhooks may not reach, or a host that the HTTP client would mistake for
    an IP address. The text does not name the host."""


class NameRefused(OSError):
    """The name of a webhook's host is unknown, or has an address that webhooks may not reach.

    One error stands for both. Otherwise notices would show which names exist in the network of the installation.
    """


def may_reach(address: str, allowed: Networks) -> bool:
    """Returns whether webhooks may connect to an IP address. It must be public, or in one of the allowed networks."""
    ip = ip_address(address)
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    if str(ip) in allowed:
        return True
    # Addresses that embed an IPv4 address (6to4, Teredo) could lead to a private address. Addresses of NAT64 and of all
    # other special ranges are outside of _ASSIGNED. `is_global` excludes only some of these ranges.
    is_special = isinstance(ip, IPv6Address) and (
        ip not in _ASSIGNED or ip.sixtofour is not None or ip.teredo is not None
    )
    return ip.is_global and not ip.is_multicast and not is_special


def is_address(host: str) -> bool:
    """Returns whether a host is an IP address and not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def check_address(host: str, allowed: Networks) -> None:
    """Raises AddressRefused if the HTTP client would connect to the host without the resolver, and webhooks may not
    reach the host.

    The client uses IP addresses as they are. It also takes each host with a colon for an address and leaves it to the
    operating system, which would resolve names such as `v1.x:y.example` in http://[v1.x:y.example]/.
    """
    if is_address(host):
        if not may_reach(host, allowed):
            raise AddressRefused(f"the webhook's host has an address that is not public, {_REFUSED}")
    elif ":" in host:
        raise AddressRefused(
            "the webhook's host is neither a name nor an IP address, so no request was sent: correct the URL"
        )


class GuardedResolver(AbstractResolver):
    """Resolves host names. Refuses a name unless webhooks may reach all of its addresses.

    The client connects to the addresses that were checked, so a name cannot change its address in between.
    """

    def __init__(self, allowed: Networks) -> None:
        self._allowed = allowed
        self._resolver = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Returns the addresses of a name. Raises NameRefused."""
        unknown: OSError | None = None
        try:
            results = await self._resolver.resolve(host, port, family)
        except OSError as error:
            results, unknown = [], error
        if not results or not all(may_reach(result["host"], self._allowed) for result in results):
            raise NameRefused(
                f"the name of the webhook's host is unknown or has an address that is not public, {_REFUSED}"
            ) from unknown
        return results

    async def close(self) -> None:
        await self._resolver.close()
