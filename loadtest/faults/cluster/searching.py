"""Searches that begin on a schedule while services fail, and the time and outcome of each."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import httpx2

from kit.clock import Clock
from kit.tls import trusted
from loadtest.background import Background
from loadtest.own_stack import OwnStack
from loadtest.traffic.open_loop import Call, on_schedule

THREADS: Final = 64
"""Largest number of concurrent searches. A further one begins late, and its time counts from when it was due."""
ANSWER_SECONDS: Final = 40.0
"""Longest wait for an answer, in seconds. It is longer than the API waits for a server that hangs."""
QUERIES: Final = ("", "error", "GET OR POST", "http.request.method:PUT")
LIMIT: Final = 50


@dataclass(frozen=True, slots=True)
class Search:
    """One page that was requested. `due` and `ended` are monotonic seconds. `failure` is empty if it was answered."""

    tenant: str
    due: float
    ended: float
    failure: str = ""

    @property
    def seconds(self) -> float:
        """Seconds from the time at which the search was due until its answer."""
        return self.ended - self.due


class Searching(Background):
    """Requests newest pages as each tenant in turn, `rate` a second, within the block."""

    def __init__(self, stack: OwnStack, tenants: Sequence[str], rate: float, clock: Clock) -> None:
        """Creates a query key for each tenant. Searches cover the time from now on."""
        super().__init__("searching")
        self.done: list[Search] = []
        """All searches that have ended."""
        self._url = f"{stack.api_url}/logs/search"
        self._keys = {tenant: stack.query_key(tenant) for tenant in tenants}
        self._rate = rate
        self._start_ns = clock.now_ns()
        self._clock = clock
        limits = httpx2.Limits(max_connections=THREADS, max_keepalive_connections=THREADS)
        self._http = httpx2.Client(timeout=ANSWER_SECONDS, limits=limits, trust_env=False, verify=trusted())

    def work(self) -> None:
        with self._http:
            on_schedule(self._calls(), self._clock, THREADS)

    def _calls(self) -> Iterator[tuple[float, Call]]:
        turns = itertools.cycle(itertools.product(QUERIES, self._keys))
        for number, (query, tenant) in enumerate(turns):
            if self.stopping.is_set():
                return
            yield number / self._rate, partial(self._search, tenant, query)

    def _search(self, tenant: str, query: str, due: float) -> None:
        parameters: dict[str, Any] = {"query": query, "start": self._start_ns, "limit": LIMIT}
        headers = {"Authorization": f"Bearer {self._keys[tenant]}"}
        try:
            answer = self._http.get(self._url, params=parameters, headers=headers)
            failure = "" if answer.status_code == httpx2.codes.OK else f"{answer.status_code}: {answer.text[:300]}"
        except httpx2.TransportError as error:
            failure = f"{type(error).__name__}: {error}"
        self.done.append(Search(tenant, due, self._clock.monotonic(), failure))
