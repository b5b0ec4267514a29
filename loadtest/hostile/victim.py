"""A tenant that goes on as always: sends by the clock and searches by the clock, whatever the answers take."""

import http.client
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle
from math import inf
from typing import Final
from urllib.parse import urlencode

from kit.clock import Clock
from kit.errors import InvalidRequest
from loadtest.corpus.records import SMALL
from loadtest.freshness.prepared import Pace, PreparedRequests
from loadtest.hostile.attack import Address
from loadtest.hostile.schedule import by_the_clock
from loadtest.otlp_http import HttpConnection, Outcome
from loadtest.own_stack import Sender
from loadtest.sent import Sent

EXPORTS_PER_SECOND: Final = 25
SEARCHES_PER_SECOND: Final = 5
RECORDS: Final = 10
"""Records in a request."""

_PREPARED: Final = 200
"""Requests that are made up before the study; then they are sent again with new numbers and times."""
_SEARCH_SECONDS: Final = 20.0
_LOOK_BACK_NS: Final = 60 * 10**9
"""How far back searches look: what they read does not grow during the study."""
_QUERIES: Final = ("", "severity:>=error", "request")


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A request that Kafka has: all its records have `time_ns`. `at` is monotonic, in seconds."""

    tenant_id: int
    time_ns: int
    at: float


@dataclass(slots=True)
class Felt:
    """What a victim felt: seconds from the moment a request was due to its answer; infinite for one that was refused or
    failed, because its sender has to try again."""

    exports: list[float] = field(default_factory=list)
    searches: list[float] = field(default_factory=list)


class Victim:
    """One tenant. Exports share connections, as exporters do; each search opens one of its own."""

    def __init__(  # noqa: PLR0913, PLR0917 a tenant and all that it needs to be one
        self, sender: Sender, query_key: str, otlp_http: Address, api: Address, seed: int, clock: Clock
    ) -> None:
        self.sender = sender
        self.sent = Sent()
        """Every record since the beginning."""
        self._query_key = query_key
        self._otlp_http = otlp_http
        self._api = api
        self._clock = clock
        self._requests = PreparedRequests(SMALL, seed, Pace(RECORDS, 1 / EXPORTS_PER_SECOND, _PREPARED))
        self._queries = cycle(_QUERIES)
        self._connections = threading.local()
        self._lock = threading.Lock()

    def live(self, until: Callable[[], bool], on_answer: Callable[[Acknowledged], None]) -> Felt:
        """Until told to stop. Every answer is waited for."""
        felt = Felt()
        with ThreadPoolExecutor(2, thread_name_prefix="victim") as both:
            exporting = both.submit(
                by_the_clock, EXPORTS_PER_SECOND, until, self._clock, lambda: self._next_export(felt, on_answer)
            )
            searching = both.submit(
                by_the_clock, SEARCHES_PER_SECOND, until, self._clock, lambda: self._next_search(felt)
            )
        exporting.result()
        searching.result()
        return felt

    def _next_export(self, felt: Felt, on_answer: Callable[[Acknowledged], None]) -> Callable[[float], None]:
        time_ns = self._clock.now_ns()
        body, numbers = self._requests.next(time_ns)

        def export(due: float) -> None:
            try:
                outcome = self._connection().export(body)
            except InvalidRequest:
                outcome = Outcome.refused
            at = self._clock.monotonic()
            kept = outcome is Outcome.acknowledged
            with self._lock:
                (self.sent.acknowledged if kept else self.sent.uncertain).append(numbers)
                felt.exports.append(at - due if kept else inf)
            if kept:
                on_answer(Acknowledged(self.sender.tenant_id, time_ns, at))

        return export

    def _next_search(self, felt: Felt) -> Callable[[float], None]:
        query = next(self._queries)
        asked = urlencode({"query": query, "start": self._clock.now_ns() - _LOOK_BACK_NS, "limit": 100})

        def search(due: float) -> None:
            found = self._search(f"/api/v1/logs/search?{asked}")
            with self._lock:
                felt.searches.append(self._clock.monotonic() - due if found else inf)

        return search

    def _search(self, path: str) -> bool:
        """Whether the page came."""
        connection = http.client.HTTPConnection(*self._api, timeout=_SEARCH_SECONDS)
        try:
            connection.request("GET", path, headers={"authorization": f"Bearer {self._query_key}"})
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        return answer.status == http.client.OK

    def _connection(self) -> HttpConnection:
        """Each thread keeps one; it closes when the thread ends with its pool."""
        opened: HttpConnection | None = getattr(self._connections, "opened", None)
        if opened is None:
            opened = self._connections.opened = HttpConnection(self._otlp_http, self.sender.ingest_key)
        return opened
