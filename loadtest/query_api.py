"""Client of the REST API for load tests: pages and exports with one tenant's key."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpx2

from kit.clock import SystemClock
from kit.errors import Internal
from kit.tls import trusted
from loadtest.waiting import wait_until

KNOWN_SECONDS: Final = 10.0
_ANSWER_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `ids` are the records' ids, which sort in the order of pages. `seconds` is the time of the request."""

    ids: tuple[str, ...]
    next_cursor: str | None
    seconds: float


class QueryApi(AbstractContextManager["QueryApi"]):
    """A connection with a query key. For one thread."""

    def __init__(self, url: str, key: str) -> None:
        self.key = key
        self._http = httpx2.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=_ANSWER_SECONDS,
            trust_env=False,
            verify=trusted(),
        )

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def wait_until_known(self) -> None:
        """Waits until the API knows the key. Raises Unavailable if it does not after KNOWN_SECONDS."""
        wait_until(
            lambda: self._http.get("/tenant").status_code == httpx2.codes.OK,
            SystemClock(),
            KNOWN_SECONDS,
            "a new key was not known",
            KNOWN_SECONDS / 50,
        )

    def page(self, parameters: dict[str, str | int], cursor: str | None) -> Page:
        """Requests the page at `cursor`, or the first page. Raises Internal for an answer without status 200."""
        requested = parameters if cursor is None else {**parameters, "cursor": cursor}
        started = time.perf_counter()
        answer = self._http.get("/logs/search", params=requested)
        seconds = time.perf_counter() - started
        if answer.status_code != httpx2.codes.OK:
            raise Internal(f"a page was answered {answer.status_code}: {answer.text}")
        page: dict[str, Any] = answer.json()
        return Page(tuple(log["id"] for log in page["logs"]), page["next_cursor"], seconds)

    @contextmanager
    def export(self, parameters: dict[str, str | int]) -> Iterator[httpx2.Response]:
        """Yields the stream of an export, and closes the connection after the block.

        Raises Internal for an answer without status 200.
        """
        with self._http.stream("GET", "/logs/export", params=parameters) as answer:
            if answer.status_code != httpx2.codes.OK:
                raise Internal(f"an export was answered {answer.status_code}")
            yield answer
