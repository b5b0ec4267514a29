"""Limits of one process's HTTP port for its clients, with a key or without."""

import resource
from dataclasses import dataclass

import structlog

from kit.server.connections import UNLIMITED, AddressLimit
from kit.settings import Settings

log = structlog.get_logger()

RESERVED_DESCRIPTORS = 128
"""File descriptors reserved for files, Kafka, ClickHouse and the control plane."""

MIN_CONNECTIONS = 16
"""Smallest connection limit of a port, even if the process may have few descriptors."""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Limits of an HTTP port. Sizes are bytes, times are seconds. Unless a field says otherwise, a limit applies to one
    connection."""

    head_bytes: int = 64 * 2**10
    """Largest size of the request line and the headers together."""
    head_seconds: float = 10.0
    """Longest time from the first byte, or from the connection's start, to the end of the headers."""
    body_seconds: float = 30.0
    """Longest time from the end of the headers to the end of the body."""
    late_body_status: int = 408
    """HTTP status of the answer to a request whose body takes longer."""
    idle_seconds: float = 75.0
    """Longest time a connection stays open between two requests."""
    stall_seconds: float = 300.0
    """Longest time an answer waits for a client that does not read it."""
    connections: int = 4096
    """Largest number of open connections of the port in this process."""
    per_address: AddressLimit = UNLIMITED
    """Largest number of open connections from one IPv4 address or one IPv6 /64 network."""

    @classmethod
    def of(cls, settings: Settings, ports: int = 1) -> "HttpLimits":
        """Returns the limits of one port of a process with `ports` listening ports, which share its descriptors."""
        return cls(
            head_bytes=settings.http_head_max_bytes,
            head_seconds=settings.http_head_seconds,
            body_seconds=settings.http_body_seconds,
            idle_seconds=settings.http_idle_seconds,
            stall_seconds=settings.http_stall_seconds,
            connections=connections_of(settings, ports),
            per_address=address_limit(settings),
        )


def connections_of(settings: Settings, ports: int) -> int:
    """Returns the connection limit of each of `ports` ports, so that all fit into the process's descriptors."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return settings.connections_max
    return max(MIN_CONNECTIONS, min(settings.connections_max, (soft - RESERVED_DESCRIPTORS) // ports))


def address_limit(settings: Settings) -> AddressLimit:
    """Returns the limit of connections that one address may have to a port."""
    return AddressLimit(settings.connections_per_address, settings.proxies)


def raise_descriptor_limit() -> None:
    """Raises the process's soft limit of open descriptors to its hard limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == hard:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError) as error:
        # macOS reports a hard limit without bound and refuses to set it.
        log.warning("the limit of open files was not raised", soft=soft, hard=hard, reason=str(error))
