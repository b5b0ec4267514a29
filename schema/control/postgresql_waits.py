"""Limits how long a connection to PostgreSQL waits for a silent server and for a lock, and how long PostgreSQL waits
for the next statement of a transaction.

A server is silent if its host is off, or if the network drops its packets. asyncpg waits for an answer without a limit,
and TCP gives up only after about 15 minutes. asyncpg's own limit for statements (`command_timeout`) does not help here,
because after it asyncpg waits for the same server to confirm the cancellation.

A paused process, or one whose host is lost, keeps its session at the server, with all its locks. Every change of the
control plane needs the lock of one row, so PostgreSQL ends such a session.
"""

import socket
from typing import Final

from asyncpg import Connection

SILENT_SECONDS: Final = 20
"""Seconds after which a connection ends because its server acknowledged nothing."""
LOCK_SECONDS: Final = 10
"""Longest wait of a statement for a lock in PostgreSQL, in seconds."""
IDLE_SECONDS: Final = SILENT_SECONDS + 10
"""Seconds without a statement after which PostgreSQL ends a session within a transaction. Longer than SILENT_SECONDS,
so that a process whose network fails reports the silent server."""

_PROBE_SECONDS: Final = 5
_OPTIONS: Final = {
    # Limits the wait for the acknowledgement of sent bytes. In milliseconds.
    "TCP_USER_TIMEOUT": SILENT_SECONDS * 1_000,
    # A server that has acknowledged a statement and then fails is found by probes.
    "TCP_KEEPIDLE": _PROBE_SECONDS,
    "TCP_KEEPINTVL": _PROBE_SECONDS,
    "TCP_KEEPCNT": SILENT_SECONDS // _PROBE_SECONDS - 1,
}


async def limit_waits(connection: Connection) -> None:
    """Sets the limits for a new connection. A statement that reaches one raises an error, and so does the first
    statement after a pause of more than IDLE_SECONDS within a transaction.

    Changes nothing of a Unix socket, and leaves out TCP options that the operating system does not have.
    """
    # asyncpg has no public name for the socket. A test holds this to the pinned version.
    found = connection._transport.get_extra_info("socket")
    # None is the socket of a connection that has already ended. The statement below then raises the error.
    if found is not None and found.family in (socket.AF_INET, socket.AF_INET6):
        found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _OPTIONS.items():
            if (option := getattr(socket, name, None)) is not None:
                found.setsockopt(socket.IPPROTO_TCP, option, value)
    # Not parameters of the start of the connection, because PgBouncer refuses those that it does not know.
    await connection.execute(
        f"SET lock_timeout = '{LOCK_SECONDS}s'; SET idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'"
    )
