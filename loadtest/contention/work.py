"""Searches and inserts that run at once, each over a connection of its own, until they are told to stop."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import httpx2 as httpx

from kit.errors import Internal, Unavailable
from kit.settings import Settings
from kit.tls import trusted
from loadtest.parts.layout import TENANTS, Filled, search

DATABASE: Final = "contention"
_SECONDS: Final = 300.0
_ROWS: Final = 20
"""Rows of an insert, each in a partition of its own."""
_APART: Final = 7_919
"""Distance between the first searches of two connections, so that they read different tenants and days."""


@dataclass(slots=True)
class Work:
    """Counts of what has ended. Each element of `search_seconds` is one search."""

    search_seconds: list[float] = field(default_factory=list)
    inserts: int = 0


@contextmanager
def working(
    settings: Settings, filled: Filled, searches: int, inserts: int, monotonic: Callable[[], float]
) -> Iterator[Work]:
    """Keeps numbers of searches and inserts running during the block.

    Raises Internal if one fails, Unavailable if the server does not answer.
    """
    work, stop, url = Work(), threading.Event(), settings.clickhouse_http_url
    headers = {"X-ClickHouse-User": settings.clickhouse_user, "X-ClickHouse-Key": settings.clickhouse_secret}

    def search_on(http: httpx.Client, number: int) -> None:
        started = monotonic()
        _send(http, search(filled, number), {"max_threads": "2", "use_query_condition_cache": "0"})
        work.search_seconds.append(monotonic() - started)

    def insert_on(http: httpx.Client, number: int) -> None:
        _send(http, _insert(filled, number), {})
        work.inserts += 1

    def repeat(step: Callable[[httpx.Client, int], None], first: int) -> None:
        with httpx.Client(base_url=url, headers=headers, timeout=_SECONDS, verify=trusted()) as http:
            for number in count(first):
                if stop.is_set():
                    return
                step(http, number)

    with ThreadPoolExecutor(searches + inserts) as pool:
        running = [pool.submit(repeat, search_on, place * _APART) for place in range(searches)]
        running += [pool.submit(repeat, insert_on, place * _APART) for place in range(inserts)]
        try:
            yield work
        finally:
            stop.set()
        for each in running:
            each.result()


def _insert(filled: Filled, number: int) -> str:
    """Returns an INSERT of `_ROWS` rows, each into a partition of its own. Their day is later than those that searches
    read."""
    day = f"toDateTime64('2030-01-01 00:00:00', 9, 'UTC') + toIntervalDay({number % 50})"
    return (
        f"INSERT INTO {filled.table(number % filled.tables)} (tenant_id, cohort, timestamp, id, body)"
        f" SELECT number % {TENANTS}, concat('w', toString(number)), {day}, {number * _ROWS} + number, 'x'"
        f" FROM numbers({_ROWS})"
    )


def _send(http: httpx.Client, sql: str, settings: dict[str, str]) -> None:
    try:
        answer = http.post("/", content=sql, params={**settings, "database": DATABASE, "log_queries": "0"})
    except httpx.HTTPError as error:
        raise Unavailable(f"ClickHouse ended or hangs during the drill: {error}") from error
    if answer.status_code != httpx.codes.OK:
        raise Internal(f"a statement of the drill failed: {answer.text[:300]}")
