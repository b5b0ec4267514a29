"""Limits how long a connection to PostgreSQL waits for a silent server, for a lock and for its end, and how long
PostgreSQL waits for the next statement of a transaction.

A server is silent if its host is off, or if the network drops its packets. asyncpg waits for an answer without a limit,
and TCP gives up only after about 15 minutes. A stopped server, or a proxy, may acknowledge packets and never answer.
asyncpg therefore limits each statement too (`command_timeout`). `asyncio.timeout` does not replace this limit, because
SQLAlchemy waits for the answer to a ROLLBACK although it was cancelled.

A paused process, or one whose host is lost, keeps its session at the server, with all its locks. Every change of the
control plane needs the lock of one row, so PostgreSQL ends such a session.
"""

import asyncio
import socket
from contextlib import suppress
from typing import Any, Final

from asyncpg import Connection, InterfaceError, PostgresError
from sqlalchemy.util.concurrency import in_greenlet

SILENT_SECONDS: Final = 20
"""Seconds after which a connection ends because its server acknowledged nothing."""
LOCK_SECONDS: Final = 10
"""Longest wait of a statement for a lock in PostgreSQL, in seconds."""
IDLE_SECONDS: Final = SILENT_SECONDS + 10
"""Seconds without a statement after which PostgreSQL ends a session within a transaction. Longer than SILENT_SECONDS,
so that a process whose network fails reports the silent server."""
STATEMENT_SECONDS: Final = 30.0
"""Longest wait for a connection, and for the answer to one statement, in seconds, including BEGIN, COMMIT and ROLLBACK.
Migrations wait for a statement without a limit. Requests may have shorter timeouts, which end the wait for any
statement except a ROLLBACK."""
CLOSE_SECONDS: Final = 0.5
"""Longest wait until PostgreSQL has ended a connection that is closed, in seconds. It takes milliseconds. A process
closes its unused connections one after the other when it stops."""

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


def close(dbapi_connection: Any) -> None:
    """Closes a connection of SQLAlchemy's pool. Aborts it if the server does not end it within CLOSE_SECONDS.

    asyncpg's own close has no limit. A server that accepts connections and never answers would then keep the process
    from ending.
    """

    async def close_or_abort(connection: Connection) -> None:
        # asyncpg aborts the connection before it raises.
        with suppress(PostgresError, InterfaceError, OSError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await connection.close()

    dbapi_connection.run_async(close_or_abort)


def terminate(dbapi_connection: Any) -> None:
    """Closes a connection as `close` does after its task was cancelled or one of its statements failed. SQLAlchemy's
    own way waits 2 s for a silent server. Aborts a connection that the garbage collector found, without a wait."""
    if in_greenlet():
        close(dbapi_connection)
    else:
        dbapi_connection.terminate()
