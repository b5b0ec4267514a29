"""A victim: a tenant that sends and searches on a fixed schedule, however long the answers take."""

import http.client
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count, cycle
from math import inf
from typing import Final
from urllib.parse import urlencode

from kit.clock import Clock
from loadtest.comparison import Sent
from loadtest.corpus.records import SMALL
from loadtest.freshness.prepared import Pace, PreparedRequests
from loadtest.hostile.attack import Address
from loadtest.open_loop import Call, on_schedule
from loadtest.own_stack import Sender
from loadtest.scheduled_exports import Answered, ScheduledExports

EXPORTS_PER_SECOND: Final = 25
SEARCHES_PER_SECOND: Final = 5
RECORDS: Final = 10
"""Records in each request."""
_THREADS: Final = 16
"""Largest number of exports under way at once, and of searches under way at once.

If a slow server reaches it, later requests start late. Their times include this delay.
"""

_PREPARED: Final = 200
"""Requests that are made up before the study. They are sent repeatedly, with new numbers and times."""
_SEARCH_SECONDS: Final = 20.0
_SEARCHED_NS: Final = 60 * 10**9
"""Time range of searches in nanoseconds. It is fixed, so that searches do not read more during the study."""
_QUERIES: Final = ("", "severity:>=error", "request")


@dataclass(slots=True)
class Felts:
    """Times of one victim in a phase, in seconds.

    `exports` and `searches` are times from when a request was due to its answer. `delays` are times from acknowledged
    to searchable. The time is infinite for a request that was refused or failed, and for one not found in time.
    """

    exports: list[float] = field(default_factory=list)
    searches: list[float] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)

    @property
    def refused(self) -> int:
        """Number of exports and searches that were refused or failed."""
        return (self.exports + self.searches).count(inf)

    def and_later(self, other: "Felts") -> "Felts":
        return Felts(self.exports + other.exports, self.searches + other.searches, self.delays + other.delays)


class Victim:
    """A tenant that sends and searches on a fixed schedule.

    Exports use a few connections repeatedly, like OTLP exporters. Each search opens a new connection.
    """

    def __init__(  # noqa: PLR0913, PLR0917 a tenant needs two keys and two addresses
        self, sender: Sender, query_key: str, otlp_http: Address, api: Address, seed: int, clock: Clock
    ) -> None:
        self.sender = sender
        self.sent = Sent()
        """Numbers of all records that the victim has sent in all phases."""
        self._query_key = query_key
        self._api = api
        self._clock = clock
        self._requests = PreparedRequests(SMALL, seed, Pace(RECORDS, 1 / EXPORTS_PER_SECOND, _PREPARED))
        self._otlp_http = otlp_http
        self._lock = threading.Lock()

    def live(self, until: Callable[[], bool], on_answer: Callable[[Answered], None]) -> Felts:
        """Sends and searches until `until` returns true, then waits for all answers.

        Calls `on_answer` for each acknowledged request.
        """
        felt = Felts()
        exports = ScheduledExports(self._otlp_http, self._clock, on_answer, tolerant=True)
        with ThreadPoolExecutor(2, thread_name_prefix="victim") as both:
            exporting = both.submit(on_schedule, self._exports(exports, until), self._clock, _THREADS)
            searching = both.submit(on_schedule, self._searches(felt, until), self._clock, _THREADS)
        exporting.result()
        searching.result()
        felt.exports = exports.outcomes.seconds
        self.sent = self.sent.merged(exports.outcomes.sent[self.sender.tenant_id])
        return felt

    def _exports(self, exports: ScheduledExports, until: Callable[[], bool]) -> Iterator[tuple[float, Call]]:
        for number in count():
            if until():
                break
            time_ns = self._clock.now_ns()
            yield number / EXPORTS_PER_SECOND, exports.call(self.sender, *self._requests.next(time_ns), time_ns)

    def _searches(self, felt: Felts, until: Callable[[], bool]) -> Iterator[tuple[float, Call]]:
        for number, query in enumerate(cycle(_QUERIES)):
            if until():
                break
            requested = urlencode({"query": query, "start": self._clock.now_ns() - _SEARCHED_NS, "limit": 100})
            yield number / SEARCHES_PER_SECOND, partial(self._timed_search, felt, f"/api/v1/logs/search?{requested}")

    def _timed_search(self, felt: Felts, path: str, due: float) -> None:
        found = self._search(path)
        with self._lock:
            felt.searches.append(self._clock.monotonic() - due if found else inf)

    def _search(self, path: str) -> bool:
        """Returns whether the search was answered with status 200."""
        connection = http.client.HTTPConnection(*self._api, timeout=_SEARCH_SECONDS)
        with closing(connection), suppress(OSError, http.client.HTTPException):
            connection.request("GET", path, headers={"authorization": f"Bearer {self._query_key}"})
            answer = connection.getresponse()
            answer.read()
            return answer.status == http.client.OK
        return False
