"""A victim: a tenant that sends and searches on a fixed schedule, however long the answers take."""

import http.client
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, takewhile
from math import inf
from typing import Final
from urllib.parse import urlencode

from kit.clock import Clock
from loadtest.comparison import Sent
from loadtest.corpus.records import SMALL
from loadtest.own_stack import OwnStack, Sender
from loadtest.traffic.open_loop import Call, on_schedule
from loadtest.traffic.prepared import Pace, PreparedRequests, calls
from loadtest.traffic.scheduled_exports import Answered, ScheduledExports

EXPORTS_PER_SECOND: Final = 25
SEARCHES_PER_SECOND: Final = 5
RECORDS: Final = 10
"""Records in each request."""
_THREADS: Final = 16
"""Largest number of exports in progress at once, and of searches in progress at once.

If a slow server reaches it, later requests start late. Their times include this delay.
"""

_PREPARED: Final = 200
"""Requests that are made up before the study. They are sent repeatedly, with new numbers and times."""
_SEARCH_SECONDS: Final = 20.0
_SEARCHED_NS: Final = 60 * 10**9
"""Time range of searches in nanoseconds. It is fixed, so that searches do not read more during the study."""
_QUERIES: Final = ("", "severity:>=error", "request")


@dataclass(slots=True)
class VictimTimes:
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

    def and_later(self, other: "VictimTimes") -> "VictimTimes":
        """Returns the times of this phase and of a later one."""
        return VictimTimes(self.exports + other.exports, self.searches + other.searches, self.delays + other.delays)


class Victim:
    """A tenant that sends and searches on a fixed schedule.

    Exports use a few connections repeatedly and are compressed, like those of OTLP exporters. Each search opens a new
    connection.
    """

    def __init__(self, stack: OwnStack, sender: Sender, seed: int, clock: Clock) -> None:
        """Creates a query key of the tenant."""
        self.sender = sender
        self.sent = Sent()
        """Numbers of all records that the victim has sent in all phases."""
        self._stack = stack
        self._query_key = stack.query_key(sender.tenant)
        self._clock = clock
        self._requests = PreparedRequests(SMALL, seed, Pace(RECORDS, 1 / EXPORTS_PER_SECOND, _PREPARED))

    def live(self, until: Callable[[], bool], on_answer: Callable[[Answered], None]) -> VictimTimes:
        """Sends and searches until `until` returns true, then waits for all answers.

        Calls `on_answer` for each acknowledged request.
        """
        searched: list[float] = []
        with (
            ScheduledExports(self._stack.otlp_http, self._clock, on_answer, tolerant=True, compressed=True) as exports,
            ThreadPoolExecutor(2, thread_name_prefix="victim") as both,
        ):
            scheduled = calls([self.sender], self._requests, exports, self._clock)
            exporting = both.submit(on_schedule, takewhile(lambda _: not until(), scheduled), self._clock, _THREADS)
            searching = both.submit(on_schedule, self._searches(searched, until), self._clock, _THREADS)
        exporting.result()
        searching.result()
        self.sent = self.sent.merged(exports.outcomes.sent[self.sender.tenant_id])
        return VictimTimes(exports.outcomes.seconds, searched)

    def _searches(self, searched: list[float], until: Callable[[], bool]) -> Iterator[tuple[float, Call]]:
        for number, query in takewhile(lambda _: not until(), enumerate(cycle(_QUERIES))):
            requested = urlencode({"query": query, "start": self._clock.now_ns() - _SEARCHED_NS, "limit": 100})
            yield number / SEARCHES_PER_SECOND, partial(self._search, searched, f"/api/v1/logs/search?{requested}")

    def _search(self, searched: list[float], path: str, due: float) -> None:
        """Requests a page. Adds the seconds from `due` to its answer, infinite if it was not answered with 200."""
        connection = http.client.HTTPConnection(*self._stack.api, timeout=_SEARCH_SECONDS)
        with closing(connection), suppress(OSError, http.client.HTTPException):
            connection.request("GET", path, headers={"authorization": f"Bearer {self._query_key}"})
            answer = connection.getresponse()
            answer.read()
            if answer.status == http.client.OK:
                searched.append(self._clock.monotonic() - due)
                return
        searched.append(inf)
