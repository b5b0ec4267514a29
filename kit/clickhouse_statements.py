"""Sends statements to one ClickHouse server, with about half the CPU time of clickhouse-connect's own async client.

It uses clickhouse-connect to connect, bind parameters and decode answers. That library's client also parses the SQL
text, checks every setting of every statement, and moves each answer through a queue to another thread. This client does
not.
"""

import asyncio
import sys
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import quote, urlencode

import aiohttp
import orjson
from clickhouse_connect.driver.asyncclient import AsyncClient
from clickhouse_connect.driver.binding import MAX_URL_BIND_PARAM_LENGTH, bind_query
from clickhouse_connect.driver.ctypes import RespBuffCls
from clickhouse_connect.driver.exceptions import DatabaseError, OperationalError
from clickhouse_connect.driver.models import SettingDef
from clickhouse_connect.driver.query import QueryResult
from clickhouse_connect.driver.transform import NativeTransform
from clickhouse_connect.driver.types import ByteSource
from yarl import URL

from kit.clock import SystemClock

INLINE_BYTES: Final = 32_768
"""Largest answer, in bytes of Native format, that is decoded on the event loop. Larger ones are decoded on a thread."""

_KEPT_SETTINGS: Final = 1_000
"""Number of different sets of settings whose encoded form is cached."""
_SILENCE_SECONDS: Final = 300.0
"""Longest silence of a server, in seconds, before its connection is treated as broken."""
_AGAIN_SECONDS: Final = 0.1
"""Seconds before a request is retried."""
_CODE: Final = "X-ClickHouse-Exception-Code"


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """The rows of one statement, ClickHouse's summary of its work, and its name in query_log."""

    result_rows: Sequence[Sequence[Any]]
    summary: Mapping[str, Any]
    query_id: str


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """URLs of a server and of the proxy in front of it, the user's name and password, and the TLS options of aiohttp.

    `connect_seconds` is the longest time to connect, `connections` the largest number of open connections.
    """

    url: str
    user: str
    password: str
    ssl: Any
    proxy: str | None = None
    connect_seconds: float = 5.0
    connections: int = 100


def _new_id(start: str) -> str:
    """Returns `start` with a random end."""
    return f"{start}{uuid.uuid4()}"


class StatementClient:
    """Runs statements concurrently, in one event loop, as many as the client has connections. Others wait."""

    def __init__(self, client: AsyncClient, address: ServerAddress) -> None:
        """`client` must be connected to the same server as the same user."""
        self.server_settings: Mapping[str, SettingDef] = client.server_settings
        # Counts the time in which this machine slept, as the server's uptime does on another machine.
        self._clock = SystemClock()
        self._settings_read_at = self._clock.monotonic()
        self._client = client
        self._base = address.url.rstrip("/") + "/?"
        self._encoded: dict[tuple[tuple[str, str | int | float], ...], str] = {}
        connector = aiohttp.TCPConnector(
            limit_per_host=address.connections,
            keepalive_timeout=30.0,
            ssl=address.ssl,
            # Python below 3.12.7 leaks TLS connections that a server does not close by itself.
            enable_cleanup_closed=sys.version_info < (3, 12, 7),
        )
        login = b64encode(f"{address.user}:{address.password}".encode()).decode()
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers={"Authorization": f"Basic {login}", "Accept-Encoding": "identity"},
            timeout=aiohttp.ClientTimeout(sock_connect=address.connect_seconds, sock_read=_SILENCE_SECONDS),
            proxy=address.proxy,
        )

    async def query(
        self,
        sql: str,
        parameters: Mapping[str, Any],
        settings: Mapping[str, str | int | float],
        kind: str = "",
        count: Callable[[int], None] | None = None,
    ) -> ServerAnswer:
        """Returns the whole answer. If the caller is cancelled, the statement's connection is closed. The statement's
        name in query_log begins with `kind`. `count` is called with the number of bytes of each part of the answer when
        it arrives. If `count` raises an error, the connection is closed too.

        Raises clickhouse-connect's Error. It has ClickHouse's code if ClickHouse refused the statement.
        """
        query, bound = bind_query(sql, dict(parameters))
        assert isinstance(query, str), "a statement has no binary parameters"
        text, values = f"{query}\n FORMAT Native", urlencode(bound, quote_via=quote)
        url = f"{self._base}{self._settings(settings)}&"
        if len(values) > MAX_URL_BIND_PARAM_LENGTH:
            # Some proxies refuse long URLs.
            response, body = await self._post(f"{url}query_id={kind}", {"query": text, **bound}, count)
        else:
            response, body = await self._post(f"{url}{values}&query_id={kind}", text.encode(), count)
        summary = orjson.loads(response.headers.get("X-ClickHouse-Summary", "{}"))
        rows = await self._rows(body)
        return ServerAnswer(rows, summary, response.headers.get("X-ClickHouse-Query-Id", ""))

    async def refresh_settings(self) -> None:
        """Reads the server's settings again if the server was started since they were read, because it may have another
        version then. Raises what `query` raises."""
        asked_at = self._clock.monotonic()
        [[uptime]] = (await self.query("SELECT uptime()", {}, {})).result_rows
        if uptime > asked_at - self._settings_read_at:
            return
        rows = (await self.query("SELECT name, value, readonly FROM system.settings", {}, {})).result_rows
        known = {name: SettingDef(name, value, readonly) for name, value, readonly in rows}
        self.server_settings, self._settings_read_at = known, asked_at
        self._client.server_settings = known
        self._encoded.clear()

    async def close(self) -> None:
        """Closes all connections."""
        await self._session.close()
        await self._client.close()

    async def _post(
        self, url: str, data: bytes | Mapping[str, str], count: Callable[[int], None] | None
    ) -> "tuple[aiohttp.ClientResponse, _Body]":
        """Returns the response and its body. Sends the request again, once, if the server had closed the connection.
        Sends a mapping as a form.

        `url` ends with the start of the statement's id. Each attempt has an id of its own, because ClickHouse refuses
        an id whose statement still runs. After a proxy has closed the connection, the first statement may still run.
        """
        for attempt in (1, 2):
            try:
                sent = data if isinstance(data, bytes) else _form(data)
                async with self._session.post(URL(_new_id(url), encoded=True), data=sent) as response:
                    body = await _Body.read(response, count)
                    if response.status != 200 or _CODE in response.headers:
                        code = response.headers.get(_CODE, "")
                        raise DatabaseError(body.text, code=int(code) if code.isdecimal() else None)
                    return response, body
            except (aiohttp.ClientError, OSError) as error:
                if attempt == 2 or not _may_send_again(error):
                    raise OperationalError(f"Network Error: {error}") from error
            await asyncio.sleep(_AGAIN_SECONDS)
        raise AssertionError

    async def _rows(self, body: "_Body") -> Sequence[Sequence[Any]]:
        if not body.size and body.failure is None:
            return ()
        if body.size <= INLINE_BYTES:
            return self._decoded(body)
        return await asyncio.get_running_loop().run_in_executor(None, self._decoded, body)

    def _decoded(self, body: "_Body") -> Sequence[Sequence[Any]]:
        context = self._client.create_query_context("SELECT")
        context.show_clickhouse_errors = True
        context.block_info = bool(self._client.protocol_version)
        source: ByteSource = RespBuffCls(body)  # type: ignore[no-untyped-call]
        result = NativeTransform.parse_response(source, context)
        assert isinstance(result, QueryResult)
        return result.result_rows

    def _settings(self, settings: Mapping[str, str | int | float]) -> str:
        """Returns the part of the URL that all statements with these settings share."""
        key = tuple(settings.items())
        encoded = self._encoded.get(key)
        if encoded is None:
            if len(self._encoded) >= _KEPT_SETTINGS:
                self._encoded.clear()
            encoded = self._encoded[key] = urlencode(self._sent(settings))
        return encoded

    def _sent(self, settings: Mapping[str, str | int | float]) -> Mapping[str, str | int | float | None]:
        known = self.server_settings
        # A server refuses to set a read-only setting, even to its current value.
        changed = {
            name: value
            for name, value in settings.items()
            if name not in known or not known[name].readonly or known[name].value != str(value)
        }
        return {
            "database": self._client.database,
            "client_protocol_version": self._client.protocol_version,
            "date_time_input_format": self._client.get_client_setting("date_time_input_format") or "best_effort",
            # The server answers when the statement has ended, so status and summary are those of the whole statement.
            "wait_end_of_query": 1,
            **changed,
        }


@dataclass(slots=True)
class _Body:
    """Bytes of an answer in the order of their arrival, in the form that clickhouse-connect's decoder reads."""

    chunks: list[bytes]
    size: int
    exception_tag: str | None
    failure: Exception | None = None
    """Error that ended the answer too early. ClickHouse may have written the reason into the answer before."""

    @classmethod
    async def read(cls, response: aiohttp.ClientResponse, count: Callable[[int], None] | None) -> Self:
        body = cls([], 0, response.headers.get("X-ClickHouse-Exception-Tag"))
        try:
            async for chunk in response.content.iter_any():
                if count is not None:
                    count(len(chunk))
                body.chunks.append(chunk)
                body.size += len(chunk)
        except (aiohttp.ClientError, OSError) as error:
            body.failure = error
        return body

    @property
    def text(self) -> str:
        return b"".join(self.chunks).decode(errors="backslashreplace")

    @property
    def gen(self) -> Iterator[bytes]:
        yield from self.chunks
        if self.failure is not None:
            raise self.failure

    def close(self) -> None:
        self.chunks.clear()


def _form(fields: Mapping[str, str]) -> aiohttp.FormData:
    form = aiohttp.FormData(default_to_multipart=True)
    for name, value in fields.items():
        form.add_field(name, value)
    return form


def _may_send_again(error: Exception) -> bool:
    """Returns true if connecting timed out, or the server closed a connection before it answered on it."""
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return True
    is_closed = isinstance(error, (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, ConnectionResetError))
    return is_closed and not isinstance(error, (aiohttp.ClientConnectorError, aiohttp.ServerTimeoutError))
