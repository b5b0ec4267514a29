"""Connections of the loader to its shards, with the time of each server's clock."""

import secrets
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from ingest.loader.insert_errors import before_insert, translate_insert_error
from ingest.loader.insert_sql import SERVER_TIME
from kit.clickhouse import connect
from kit.errors import Unavailable
from kit.settings import Settings

_CLOCK_SECONDS: Final = 60.0
"""Seconds after which the server's clock is read again, because the two clocks drift apart."""


@dataclass(slots=True)
class Connection:
    """A connection, used by one thread at a time."""

    client: Client
    _read_at: float = -_CLOCK_SECONDS
    _server_time: float = 0.0

    def server_time(self) -> float:
        """Returns the time by the server's clock, in seconds since the Unix epoch. It is never later than the server's
        time, and earlier by at most the time that an answer takes."""
        if self._server_time == 0.0 or time.monotonic() - self._read_at > _CLOCK_SECONDS:
            self._server_time = int(str(self.client.command(SERVER_TIME))) / 1000
            # The server read its clock before it answered, so an earlier time here could make the result too late.
            self._read_at = time.monotonic()
        return self._server_time + time.monotonic() - self._read_at


class Connections:
    """Pool of connections for several threads. Connects when needed, so that a loader starts while ClickHouse is
    unreachable."""

    def __init__(self, settings: Settings, receive_seconds: float) -> None:
        self._settings = settings
        self._receive_seconds = receive_seconds
        self._idle: tuple[deque[Connection], ...] = tuple(deque() for _ in range(settings.shards))

    @contextmanager
    def taken(self, shard: int, table: str) -> Iterator[Connection]:
        """Yields a connection for this thread alone. A connection that failed is closed and not used again.

        Raises the error that `translate_insert_error` returns for a failure with `table`, and Unavailable for a shard
        that the settings lack.
        """
        if shard >= len(self._idle):
            raise Unavailable(
                f"an interrupted batch must go to shard {shard}, which LOGSIEVE_CLICKHOUSE_URL no longer names:"
                " add its URL again"
            )
        idle = self._idle[shard]
        try:
            connection = idle.pop()
        except IndexError:
            with before_insert():
                connection = Connection(connect(self._settings, shard=shard, receive_seconds=self._receive_seconds))
        try:
            yield connection
        except BaseException as error:
            connection.client.close()
            if isinstance(error, Error):
                raise translate_insert_error(error, table) from error
            raise
        idle.append(connection)

    def close(self) -> None:
        """Closes the idle connections."""
        for idle in self._idle:
            while idle:
                idle.pop().client.close()


def statement_name(token: str) -> str:
    """Returns the common prefix of the query ids of all inserts under a token, including inserts of a part of its
    rows."""
    return f"logsieve-insert/{token}/"


def query_id(token: str) -> str:
    """Returns a new query id for one try, because ClickHouse refuses a second statement with the id of a running
    one."""
    return statement_name(token) + secrets.token_hex(8)
