"""Searches and follows live tails while a soak run sends."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Final

import httpx2

from kit.clock import Clock
from kit.errors import LogsieveError
from loadtest.background import Background
from loadtest.own_stack import OwnStack, Sender
from loadtest.query_api import QueryApi
from loadtest.traffic.tail_client import TailClient, following, tail_http

SEARCHES_PER_SECOND: Final = 2.0
ERRORS: Final = "severity:>=error"
ABSENT: Final = "wordwithoutrecords"
TAILED: Final = (ERRORS, ABSENT)
"""Queries of each tenant's tails."""
_RECENT_NS: Final = 15 * 60 * 10**9
"""Time range of searches in nanoseconds. It is fixed, so that searches do not read more in the course of the run."""
_SEARCHED: Final = ("", ERRORS, "request", ABSENT)


@dataclass(frozen=True, slots=True)
class Searched:
    """A search that was due at the monotonic time `due`, and the seconds from then to its answer.

    The seconds are infinite for a search that failed.
    """

    due: float
    seconds: float


def keep_searching(
    apis: Sequence[QueryApi], clock: Clock, done: list[Searched], skipped: list[float], stopping: threading.Event
) -> None:
    """Requests SEARCHES_PER_SECOND pages of 100 records until `stopping` is set, of one tenant after the other.

    Adds each search to `done`. Adds to `skipped` the monotonic times at which searches were due that were not sent,
    because one before them took too long.
    """
    started = clock.monotonic()
    for number in count():
        due = started + number / SEARCHES_PER_SECOND
        if stopping.wait(max(0.0, due - clock.monotonic())):
            return
        if clock.monotonic() > due + 1 / SEARCHES_PER_SECOND:
            skipped.append(due)
            continue
        # Each tenant asks each query: the tenant changes when all queries were asked once.
        query, api = _SEARCHED[number % len(_SEARCHED)], apis[number // len(_SEARCHED) % len(apis)]
        try:
            api.page({"query": query, "start": clock.now_ns() - _RECENT_NS, "limit": 100}, None)
            seconds = clock.monotonic() - due
        except (LogsieveError, httpx2.HTTPError):
            seconds = inf
        done.append(Searched(due, seconds))


class Tails(Background):
    """Follows each query of TAILED for each tenant within the block."""

    def __init__(self, stack: OwnStack, senders: Sequence[Sender]) -> None:
        super().__init__("tails")
        self.opened = threading.Event()
        """Set when all tails are open."""
        self.clients: list[TailClient] = []
        self._url = stack.api_url
        self._keys = {each.tenant_id: stack.query_key(each.tenant) for each in senders}

    def work(self) -> None:
        asyncio.run(self._follow())

    async def _follow(self) -> None:
        async with tail_http(self._url) as http:
            self.clients = [
                TailClient(http, key, tenant_id, query) for tenant_id, key in self._keys.items() for query in TAILED
            ]
            async with following(self.clients):
                self.opened.set()
                while not self.stopping.is_set():
                    await asyncio.sleep(0.2)
