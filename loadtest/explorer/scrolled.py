"""Scrolls a list in the browser and counts the frames that were not drawn."""

from typing import Final

from playwright.sync_api import Browser, Page, ViewportSize

from loadtest.explorer.in_page import PLAIN, SCROLL
from loadtest.explorer.study import Scrolled

ROWS_A_FRAME: Final = 10
_ROW_HEIGHT: Final = 26
"""Height of a row of results in CSS pixels (frontend/src/results/scrolling.ts)."""


def scroll_results(page: Page, url: str, rows: int) -> Scrolled:
    """Opens a search and scrolls its list through so many rows."""
    page.goto(url)
    page.get_by_test_id("result-row").first.wait_for()
    return _scroll(page, rows)


def scroll_plain_rows(browser: Browser, viewport: ViewportSize, rows: int) -> Scrolled:
    """Scrolls a list of plain rows of the same height on an otherwise empty page."""
    page = browser.new_page(viewport=viewport)
    page.set_default_timeout(120_000)
    page.evaluate(PLAIN, [rows, _ROW_HEIGHT])
    return _scroll(page, rows)


def _scroll(page: Page, rows: int) -> Scrolled:
    reached, frames, dropped = page.evaluate(SCROLL, [rows, ROWS_A_FRAME])
    return Scrolled(rows=reached, frames=frames, dropped_frames=dropped)
