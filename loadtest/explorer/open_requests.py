"""Waits until a page has an answer to each of its requests."""

from typing import Final

from playwright.sync_api import Page, Request

_POLL_MS: Final = 50


class OpenRequests:
    """The requests of a page that have not ended. An answer ends with its last byte."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._open: set[Request] = set()
        page.on("request", self._begin)
        page.on("requestfinished", self._end)
        page.on("requestfailed", self._end)

    def wait_for_all(self) -> None:
        """Returns when no request is open. Playwright updates the requests during its own calls only."""
        self._page.wait_for_timeout(_POLL_MS)
        while self._open:
            self._page.wait_for_timeout(_POLL_MS)

    def _begin(self, request: Request) -> None:
        self._open.add(request)

    def _end(self, request: Request) -> None:
        self._open.discard(request)
