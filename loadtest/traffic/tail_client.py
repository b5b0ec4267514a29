"""Client of a live tail, which counts the records that it gets, and reconnects with the last event's id.

The words of a record decide which queries match it.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import httpx2
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from kit.errors import Internal
from kit.tls import trusted
from loadtest.corpus.records import NUMBER

EVERY: Final = {"every": 1, "sometimes": 10, "seldom": 1_000, "never": 0}
"""Query texts. Each matches the records whose number is a multiple of the given one; 0 matches none."""

_PADDING: Final = " and what a log line says besides" * 6
_NUMBER: Final = re.compile(rb'"%b":(\d+)' % re.escape(NUMBER.encode()))
_RECONNECT_SECONDS: Final = 0.5


def record(number: int, time_ns: int) -> LogRecord:
    """Returns a record whose body contains, as words, the queries that match it."""
    words = [word for word, multiple in EVERY.items() if multiple and number % multiple == 0]
    return LogRecord(
        time_unix_nano=time_ns,
        observed_time_unix_nano=time_ns,
        body=AnyValue(string_value=" ".join(words) + _PADDING),
        attributes=[KeyValue(key=NUMBER, value=AnyValue(int_value=number))],
    )


def matching(query: str, numbers: range) -> set[int]:
    """Returns the numbers of the records that the query matches."""
    multiple = EVERY[query]
    return {number for number in numbers if number % multiple == 0} if multiple else set()


def tail_http(api_url: str) -> httpx2.AsyncClient:
    """Returns an HTTP client for any number of tails, each with a connection of its own."""
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
    timeout = httpx2.Timeout(30, read=60)
    return httpx2.AsyncClient(base_url=api_url, timeout=timeout, limits=limits, verify=trusted())


@asynccontextmanager
async def following(clients: "Sequence[TailClient]") -> AsyncIterator[asyncio.TaskGroup]:
    """Runs the clients within the block, which begins when all tails are open. Yields a group for further tasks.

    Raises the first error of the block, of a client or of a task.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(client.run()) for client in clients]
            await asyncio.gather(*(client.started.wait() for client in clients))
            yield group
            for task in tasks:
                task.cancel()
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None


class TailClient:
    """Follows one query until its task is cancelled.

    `numbers` counts how often each record arrived, by number. `other_events` counts all events except records and the
    opening one, by name. `started` is set when the first event with an id has arrived.
    """

    def __init__(self, http: httpx2.AsyncClient, key: str, tenant_id: int, query: str) -> None:
        self._http = http
        self._key = key
        self.tenant_id = tenant_id
        self.query = query
        self.numbers: Counter[int] = Counter()
        self.other_events: Counter[str] = Counter()
        self.reconnects = 0
        self.started = asyncio.Event()
        self._last_id: str | None = None
        self._reading: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Follows the query. Reconnects `_RECONNECT_SECONDS` after a connection ends. Raises Internal if the API
        refuses."""
        while True:
            self._reading = asyncio.create_task(self._read())
            try:
                await asyncio.wait([self._reading])
                if not self._reading.cancelled() and (error := self._reading.exception()) is not None:
                    raise error
            finally:
                self._reading.cancel()
            self.reconnects += 1
            await asyncio.sleep(_RECONNECT_SECONDS)

    def break_off(self) -> None:
        """Ends the connection without warning, possibly within an event."""
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self) -> None:
        headers = {"Authorization": f"Bearer {self._key}"}
        if self._last_id is not None:
            headers["Last-Event-ID"] = self._last_id
        async with self._http.stream("GET", "logs/tail", params={"query": self.query}, headers=headers) as answer:
            if answer.status_code != httpx2.codes.OK:
                raise Internal(f"the API answered {answer.status_code}: {(await answer.aread()).decode()}")
            held = b""
            async for chunk in answer.aiter_raw():
                *events, held = (held + chunk).split(b"\n\n")
                for event in events:
                    self._heard(event)

    def _heard(self, event: bytes) -> None:
        fields = dict(line.split(b": ", 1) for line in event.split(b"\n"))
        if (last_id := fields.get(b"id")) is not None:
            self._last_id = last_id.decode()
            self.started.set()
        name = fields.get(b"event", b"").decode()
        if name == "log" and (number := _NUMBER.search(fields[b"data"])) is not None:
            self.numbers[int(number[1])] += 1
        elif name and name != "open":
            self.other_events[name] += 1
