"""Searches that begin on a schedule while services fail, and the time and outcome of each."""

import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import httpx2

from kit.clock import Clock
from kit.tls import trusted
from loadtest.control import create_key
from loadtest.open_loop import Call, on_schedule
from loadtest.own_stack import OwnStack
from loadtest.query_api import QueryApi
from schema.control.models import Purpose

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


class Searching(AbstractContextManager["Searching"]):
    """Requests newest pages as each tenant in turn, `rate` a second, within the block."""

    def __init__(self, stack: OwnStack, tenants: Sequence[str], rate: float, start_ns: int, clock: Clock) -> None:
        """Creates a query key for each tenant. Searches cover the time from `start_ns`, in nanoseconds, until now."""
        self._url = f"{stack.api_url}/logs/search"
        self._keys = {tenant: create_key(stack.settings, tenant, Purpose.query) for tenant in tenants}
        for key in self._keys.values():
            with QueryApi(stack.api_url, key) as api:
                api.wait_until_known()
        self._rate = rate
        self._start_ns = start_ns
        self._clock = clock
        self._done: list[Search] = []
        self._failure: Exception | None = None
        self._stopping = threading.Event()
        limits = httpx2.Limits(max_connections=THREADS, max_keepalive_connections=THREADS)
        self._http = httpx2.Client(timeout=ANSWER_SECONDS, limits=limits, trust_env=False, verify=trusted())
        self._thread = threading.Thread(target=self._run, name="searching", daemon=True)

    def __enter__(self) -> "Searching":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()
        self._http.close()

    @property
    def done(self) -> Sequence[Search]:
        """All searches that have ended."""
        return tuple(self._done)

    def check(self) -> None:
        """Raises the error that ended the schedule, if any."""
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            on_schedule(self._calls(), self._clock, THREADS)
        except Exception as error:  # raised by `check` in the caller's thread
            self._failure = error

    def _calls(self) -> Iterator[tuple[float, Call]]:
        turns = itertools.cycle(itertools.product(QUERIES, self._keys))
        for number, (query, tenant) in enumerate(turns):
            if self._stopping.is_set():
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
        self._done.append(Search(tenant, due, self._clock.monotonic(), failure))
