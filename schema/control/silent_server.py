"""Ends PostgreSQL connections whose server has become silent: its host is off, or the network drops its packets.

asyncpg waits for an answer without a limit, and TCP gives up only after about 15 minutes. asyncpg's own limit for
statements (`command_timeout`) does not help here, because it waits for the same server to confirm the cancellation.
"""

import socket
from typing import Final

from asyncpg import Connection

SILENT_SECONDS: Final = 20
"""Seconds after which a connection ends because its server acknowledged nothing."""
LOCK_SECONDS: Final = 10
"""Longest wait of a statement for a lock in PostgreSQL, in seconds."""
SERVER_SETTINGS: Final = {"lock_timeout": f"{LOCK_SECONDS}s"}
"""Settings of PostgreSQL for each connection to the control plane."""

_PROBE_SECONDS: Final = 5
_OPTIONS: Final = {
    # Limits the wait for the acknowledgement of sent bytes. In milliseconds.
    "TCP_USER_TIMEOUT": SILENT_SECONDS * 1_000,
    # A server that has acknowledged a statement and then fails is found by probes.
    "TCP_KEEPIDLE": _PROBE_SECONDS,
    "TCP_KEEPINTVL": _PROBE_SECONDS,
    "TCP_KEEPCNT": SILENT_SECONDS // _PROBE_SECONDS - 1,
}


def end_when_silent(connection: Connection) -> None:
    """Lets the kernel end the connection after SILENT_SECONDS of silence. Its statements then raise an error.

    Changes nothing for a Unix socket, and leaves out options that the operating system does not have.
    """
    # asyncpg has no public name for the socket. A test holds this to the pinned version.
    found = connection._transport.get_extra_info("socket")
    if found.family not in (socket.AF_INET, socket.AF_INET6):
        return
    found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _OPTIONS.items():
        if (option := getattr(socket, name, None)) is not None:
            found.setsockopt(socket.IPPROTO_TCP, option, value)
