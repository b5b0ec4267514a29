"""Connections to ClickHouse, and the translation of its errors into ours.

The loader and migrations use the sync client, searches the async one. Both run without HTTP sessions, because
ClickHouse refuses two concurrent queries in one session and no query here needs session state.
"""

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from typing import Final
from urllib.parse import urlsplit

import aiohttp
from clickhouse_connect.driver import create_async_client, create_client
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error
from clickhouse_connect.driver.httpclient import HttpClient
from clickhouse_connect.driver.httputil import check_env_proxy

from kit.clickhouse_check import is_silent
from kit.clickhouse_statements import ServerAddress, StatementClient
from kit.clickhouse_tls import tls_context, tls_options, unusable_tls_files
from kit.errors import Internal, LogsieveError, RateLimited, Unavailable
from kit.refused_connection import (
    CLICKHOUSE,
    CLICKHOUSE_AUTHENTICATION_FAILED,
    CLICKHOUSE_PASSWORD,
    certificate_refusal,
    timed_out,
)
from kit.settings import Settings

CONNECT_SECONDS: Final = 5
ANSWER_SECONDS: Final = 30
"""Longest wait for the first answer of a server, in seconds. A hung server accepts connections, but sends no answer."""
RECEIVE_SECONDS: Final = 300
"""Default receive timeout of a sync client: the longest silence of the server, in seconds."""
ALTER_SECONDS: Final = 86_400
"""Seconds that a client waits for an ALTER, and an ALTER for the lock of its table. ClickHouse answers the drop of an
index when it has replaced every part of the table."""
LOCK_TIMEOUT: Final = "lock_acquire_timeout"
"""ClickHouse's setting for the longest wait of an ALTER for the lock of its table, in seconds. Its default is 120."""


class Account(Enum):
    """ClickHouse user of a connection: the owner of the tables, or the search user, who may read one tenant's rows
    only."""

    owner = "owner"
    query = "query"


# Codes of src/Common/ErrorCodes.cpp.
_LIMITS: Final = {
    158,  # TOO_MANY_ROWS
    159,  # TIMEOUT_EXCEEDED
    160,  # TOO_SLOW
    241,  # MEMORY_LIMIT_EXCEEDED
    307,  # TOO_MANY_BYTES
    396,  # TOO_MANY_ROWS_OR_BYTES
}
_TOO_MANY_QUERIES: Final = 202
_UNREACHABLE: Final = {
    32,  # ATTEMPT_TO_READ_AFTER_EOF: another shard ended while it was read
    209,  # SOCKET_TIMEOUT
    210,  # NETWORK_ERROR
    236,  # ABORTED: it is shutting down
    279,  # ALL_CONNECTION_TRIES_FAILED
    394,  # QUERY_WAS_CANCELLED: by a KILL, or because it is shutting down
    CLICKHOUSE_AUTHENTICATION_FAILED,
}
_NOT_MIGRATED: Final = {
    60,  # UNKNOWN_TABLE
    81,  # UNKNOWN_DATABASE
}
_LOCKED: Final = 473  # DEADLOCK_AVOIDED: the lock of a table was not free in time
_NO_SPACE: Final = 243  # NOT_ENOUGH_SPACE
_CAUSES: Final = dict.fromkeys(
    _NOT_MIGRATED, "ClickHouse lacks a table; run `logsieve migrate`, which creates the log tables"
) | {
    _LOCKED: "another statement in ClickHouse holds the lock of a table: wait until it has ended, then try again;"
    " ClickHouse's table system.processes shows it",
    _NO_SPACE: "a disk of ClickHouse has too little free space: free some, or enlarge the disk",
}
"""Error texts of codes whose cause the operator can remove, by code."""
_MEMORY: Final = 241
_UNREACHED: Final = "ClickHouse cannot be reached"
"""Error text of failed searches. It has no address, because the users of tenants read it."""


def connect(
    settings: Settings, database: str | None = None, shard: int = 0, receive_seconds: float = RECEIVE_SECONDS
) -> Client:
    """Returns a sync client of one shard's server in the replica `loader_replica`. Threads must not share it.

    Raises Unavailable when the server cannot be reached, refuses the password, or does not answer in ANSWER_SECONDS.
    """
    host, port, is_secure = _server(settings, shard)
    url = settings.clickhouse_http_urls[shard]
    # The client applies its receive timeout to its first statement too, and derives other settings from it.
    if receive_seconds > ANSWER_SECONDS and is_silent(settings, url, ANSWER_SECONDS, CONNECT_SECONDS):
        raise _no_answer(url)
    try:
        client = create_client(
            host=host,
            port=port,
            secure=is_secure,
            username=settings.clickhouse_user,
            password=settings.clickhouse_secret,
            database=settings.clickhouse_database if database is None else database,
            autogenerate_session_id=False,
            connect_timeout=CONNECT_SECONDS,
            send_receive_timeout=math.ceil(receive_seconds),
            query_retries=0,
            **tls_options(settings),  # type: ignore[arg-type]  # strings, which none of the other options are
        )
    except Error as error:
        if timed_out(error):
            raise _no_answer(url) from error
        raise translate(error, _unreached(settings, url)) from error
    # After a failed TLS write, urllib3 would send an insert again with only the remaining rows of its generator, and
    # ClickHouse accepts that. Callers repeat whole inserts themselves.
    assert isinstance(client, HttpClient)
    client.http_retries = 0
    return client


def _no_answer(url: str) -> Unavailable:
    return Unavailable(
        f"ClickHouse at {url} did not answer in time: restart it if it hangs, or correct the address in"
        " LOGSIEVE_CLICKHOUSE_URL",
        retry_after=2,
    )


def connect_to_alter(settings: Settings, shard: int) -> Client:
    """Returns a sync client for statements that change large tables: it waits ALTER_SECONDS for their ends and locks.

    An ALTER of an interrupted command goes on without its client and keeps the lock of its table, for which the next
    command has to wait. Raises what `connect` raises.
    """
    client = connect(settings, shard=shard, receive_seconds=ALTER_SECONDS)
    client.set_client_setting(LOCK_TIMEOUT, ALTER_SECONDS)
    return client


@contextmanager
def connect_shards(settings: Settings) -> Iterator[tuple[Client, ...]]:
    """Yields one sync client for each shard of the replica `loader_replica`, and closes them when the block ends.

    Raises what `connect` raises.
    """
    with ExitStack() as clients:
        yield tuple(clients.enter_context(connect(settings, shard=shard)) for shard in range(settings.shards))


async def connect_async(settings: Settings, account: Account, shard: int = 0) -> StatementClient:
    """Returns an async client of one shard's server in the replica `loader_replica`, with a pool of at most
    `query_max_concurrent` connections. Further queries wait.

    Raises Unavailable when the server cannot be reached or refuses the password.
    """
    host, port, is_secure = _server(settings, shard)
    user, password = settings.clickhouse_user, settings.clickhouse_secret
    if account is Account.query:
        user, password = settings.clickhouse_query_user, settings.clickhouse_query_secret
    try:
        client = await create_async_client(
            host=host,
            port=port,
            secure=is_secure,
            username=user,
            password=password,
            database=settings.clickhouse_database,
            connect_timeout=CONNECT_SECONDS,
            connector_limit_per_host=settings.query_max_concurrent,
            query_retries=0,
            # Without compression, a page of 100 records of 4 KB takes 21 ms instead of 25. The network within one site
            # needs less than these 4 ms for the additional bytes.
            compress=False,
            **tls_options(settings),  # type: ignore[arg-type]  # strings, which none of the other options are
        )
    except (Error, aiohttp.ClientError, OSError) as error:
        raise translate(error) from error
    proxy = check_env_proxy("https" if is_secure else "http", host, port)
    address = ServerAddress(
        url=client.url,
        user=user,
        password=password,
        ssl=tls_context(settings) if is_secure else True,
        proxy=proxy if proxy is None or "://" in proxy else f"http://{proxy}",
        connect_seconds=CONNECT_SECONDS,
        connections=settings.query_max_concurrent,
    )
    return StatementClient(client, address)


def _server(settings: Settings, shard: int) -> tuple[str, int, bool]:
    """Returns host and port of one shard's server in the replica `loader_replica`, and whether it speaks TLS."""
    url = urlsplit(settings.clickhouse_http_urls[shard])
    # Every URL of a Topology has both.
    assert url.hostname is not None
    assert url.port is not None
    return url.hostname, url.port, url.scheme == "https"


def server_lacks_memory(error: Exception) -> bool:
    """Returns whether the memory limit of the whole server is reached. Changing one statement does not help then.

    Both memory limits have the same code. MemoryTracker.cpp names the exceeded one in the text: `(total)` or `Query`.
    """
    return isinstance(error, Error) and error.code == _MEMORY and "(total)" in str(error)


def cannot_answer(error: BaseException | None) -> bool:
    """Returns whether the server is unreachable, or lacks tables that another replica may have."""
    if isinstance(error, Error):
        return error.code is None or error.code in _UNREACHABLE | _NOT_MIGRATED
    return isinstance(error, (aiohttp.ClientError, OSError))


def _why_unreachable(error: Exception, code: int | None) -> str | None:
    if code == CLICKHOUSE_AUTHENTICATION_FAILED:
        return CLICKHOUSE_PASSWORD
    return certificate_refusal(error, CLICKHOUSE) if code is None else None


def _unreached(settings: Settings, url: str) -> str:
    """Returns the error text of a new connection that did not reach the server. The text names the TLS files that
    cannot be used, or the address."""
    unusable = unusable_tls_files(settings) if url.startswith("https:") else None
    return unusable or f"ClickHouse at {url} cannot be reached: start it, or correct LOGSIEVE_CLICKHOUSE_URL"


def translate(error: Exception, unreached: str = _UNREACHED) -> LogsieveError:
    """Returns the LogsieveError for a failure of ClickHouse. `unreached` is its text if the server was not reached and
    no other reason is known.

    The error is retryable if the server is unreachable, lacks memory or disk space, is not migrated, or is at a limit
    of its own, or if a table is locked; otherwise it is Internal. backend/store/limits.py translates errors at the
    limits of a search.
    """
    code = error.code if isinstance(error, Error) else None
    if server_lacks_memory(error):
        return Unavailable("ClickHouse has no memory left; try again in some seconds", retry_after=2)
    if code in _CAUSES:
        return Unavailable(_CAUSES[code], retry_after=10)
    if code in _LIMITS:
        return Unavailable(f"ClickHouse stopped the statement at one of its own limits (code {code}); try again")
    if code == _TOO_MANY_QUERIES:
        return RateLimited("ClickHouse already runs as many queries as it allows; try again")
    if code is None or code in _UNREACHABLE:
        return Unavailable(_why_unreachable(error, code) or unreached, retry_after=2)
    return Internal(f"ClickHouse refused the statement with code {code}; ClickHouse's log has the reason")
