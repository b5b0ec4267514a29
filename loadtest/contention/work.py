"""Searches and inserts that run at once, each over a connection of its own, until they are told to stop."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from kit.settings import Settings
from loadtest.parts.layout import TENANTS, Filled, search
from loadtest.server_connection import ServerConnection

DATABASE: Final = "contention"
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
    work, stop = Work(), threading.Event()

    def search_on(server: ServerConnection, number: int) -> None:
        started = monotonic()
        server.send(search(filled, number), max_threads="2", use_query_condition_cache="0", log_queries="0")
        work.search_seconds.append(monotonic() - started)

    def insert_on(server: ServerConnection, number: int) -> None:
        server.send(_insert(filled, number), log_queries="0")
        work.inserts += 1

    def repeat(step: Callable[[ServerConnection, int], None], first: int) -> None:
        with ServerConnection(settings, DATABASE) as server:
            for number in count(first):
                if stop.is_set():
                    return
                step(server, number)

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
