"""Lists of addresses and networks, such as the proxies that a setting names."""

from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, Self


@dataclass(frozen=True, slots=True)
class Networks:
    """Any number of IPv4 and IPv6 networks. A single address is a network of one address."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    @cache
    def parse(cls, text: str) -> Self:
        """Reads addresses and networks (CIDR) that are separated by commas. Raises ValueError for other text."""
        names = filter(None, map(str.strip, text.split(",")))
        return cls(tuple(ip_network(each, strict=False) for each in names))

    def __bool__(self) -> bool:
        return bool(self.networks)

    def __contains__(self, address: str) -> bool:
        """Returns whether one of the networks has the address. Text that is no address is in no network. IPv4 addresses
        that are written as IPv6, as sockets for both have them, are IPv4."""
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
        return any((mapped or parsed) in network for network in self.networks)


NO_NETWORKS: Final = Networks()
