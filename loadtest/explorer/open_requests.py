"""Waits until a page has an answer to each of its requests."""

from typing import Final

from playwright.sync_api import Page, Request

_POLL_MS: Final = 50


class OpenRequests:
    """The requests of a page that have not ended. An answer ends with its last byte."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._open: set[Request] = set()
        page.on("request", self._open.add)
        page.on("requestfinished", self._open.discard)
        page.on("requestfailed", self._open.discard)

    def wait_for_all(self) -> None:
        """Returns when no request is open. Playwright updates the requests during its own calls only."""
        self._page.wait_for_timeout(_POLL_MS)
        while self._open:
            self._page.wait_for_timeout(_POLL_MS)
