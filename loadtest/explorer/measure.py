"""Sends a tenant's records, and measures the search page over them in a browser."""

import statistics
from typing import Final
from urllib.parse import urlencode

from playwright.sync_api import Error, Page, Request, ViewportSize

from kit.errors import Internal
from loadtest.bench import Bench
from loadtest.explorer.browser import chromium
from loadtest.explorer.first_load import first_load
from loadtest.explorer.in_page import ENTER, INTERACTIVE, PLAIN, SCROLL
from loadtest.explorer.study import ExplorerReport, Painted, Scrolled
from loadtest.log_store import wait_for_tenant
from loadtest.own_stack import OwnStack
from loadtest.peers.connection import Address, send_all
from loadtest.peers.corpus import PeerCorpus, read_requests, write_requests

_ROWS_A_FRAME: Final = 10
_ROW_HEIGHT: Final = 26
"""Height of a row of results in CSS pixels (frontend/src/results/scrolling.ts)."""
_WORDS: Final = (
    ("frequent", "zfrequent", 150.0),
    ("rare", "zmorning", 250.0),
    ("scarce", "zscarce", 250.0),
)
"""Searched words: a name for the word's frequency, the word, and the goal in milliseconds."""
_RANGE: Final = {"from": "now-8h", "to": "now"}
"""Time range of the page, in parameters of its URL. It contains the six hours of the corpus for at least an hour.

It is relative, so that each Enter is a new search. Over an absolute range, the page shows a repeated query from its own
cache and sends no request.
"""
_VIEWPORT: Final[ViewportSize] = {"width": 1440, "height": 900}
_PAGE_MS: Final = 120_000
"""Longest wait for anything on a page, in milliseconds."""
_POLL_MS: Final = 50
_SETTLE_MS: Final = 500
"""Milliseconds without input before each Enter, so that the page has sent its request for suggestions."""


class _OpenRequests:
    """The requests of a page that have not ended. An answer ends with its last byte."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._open: set[Request] = set()
        page.on("request", lambda request: self._open.add(request))
        for ended in ("requestfinished", "requestfailed"):
            page.on(ended, lambda request: self._open.discard(request))

    def wait_for_all(self) -> None:
        """Returns when no request is open. Playwright updates the requests during its own calls only."""
        self._page.wait_for_timeout(_POLL_MS)
        while self._open:
            self._page.wait_for_timeout(_POLL_MS)


def measure(bench: Bench, stack: OwnStack, records: int, runs: int, rows: int) -> ExplorerReport:
    """Returns the report. Raises Unavailable if sent records do not become searchable."""
    corpus = PeerCorpus.until(bench.clock.now_ns(), records, bench.seed)
    sender = stack.create_sender("explorer")
    bench.say(f"sending {records:,} records")
    write_requests(corpus, file := stack.home / "explorer-requests")
    receiver = Address(*stack.otlp_http, {"authorization": f"Bearer {sender.ingest_key}"})
    send_all(receiver, "/v1/logs", read_requests(file))
    wait_for_tenant(stack.settings, sender.lane, sender.tenant_id, records)
    key = stack.query_key(sender.tenant)
    url = "http://{}:{}/?{}".format(*stack.api, urlencode(_RANGE))
    with chromium() as browser:
        context = browser.new_context(viewport=_VIEWPORT, timezone_id="UTC")
        context.add_init_script(f"localStorage.setItem('logsieve.query-key', '{key}'); ({INTERACTIVE})()")
        page = context.new_page()
        page.set_default_timeout(_PAGE_MS)
        requests = _OpenRequests(page)
        loaded = first_load(page, url)
        interactive_ms: float = page.evaluate("interactive")
        bench.say("running queries")
        painted = _painted(page, requests, runs)
        bench.say(f"scrolling {rows:,} rows")
        page.goto(url)
        page.get_by_test_id("result-row").first.wait_for()
        scrolled = _scroll(page, rows)
        bench.say(f"scrolling {rows:,} plain rows")
        empty = browser.new_page(viewport=_VIEWPORT)
        empty.set_default_timeout(_PAGE_MS)
        empty.evaluate(PLAIN, [rows, _ROW_HEIGHT])
        plain = _scroll(empty, rows)
    return ExplorerReport(
        records=records,
        runs=runs,
        painted=painted,
        scrolled=scrolled,
        plain=plain,
        first_load_kb=sum(loaded.values()) / 1_000,
        interactive_ms=interactive_ms,
    )


def _scroll(page: Page, rows: int) -> Scrolled:
    """Scrolls the page's list through `rows` rows."""
    reached, frames, dropped = page.evaluate(SCROLL, [rows, _ROWS_A_FRAME])
    return Scrolled(rows=reached, frames=frames, dropped_frames=dropped)


def _painted(page: Page, requests: _OpenRequests, runs: int) -> tuple[Painted, ...]:
    """Alternates between all queries, `runs` times each, after one run of each that is not counted."""
    rounds = [{word: _run(page, requests, word) for _, word, _ in _WORDS} for _ in range(1 + runs)]
    found = []
    for words, word, goal_ms in _WORDS:
        painted, answered = zip(*(each[word] for each in rounds[1:]), strict=True)
        found.append(
            Painted(
                words=words,
                query=word,
                goal_ms=goal_ms,
                p50_ms=statistics.median(painted),
                worst_ms=max(painted),
                search_ms=statistics.median(answered),
            )
        )
    return tuple(found)


def _run(page: Page, requests: _OpenRequests, word: str) -> tuple[float, float]:
    """Types a query and runs it once all requests of the previous run have ended.

    Returns milliseconds until its rows are painted, and of the search's answer.
    Raises Internal if no rows are painted, and if no answer of a search is seen, because the rows then come from the
    page's own cache.
    """
    editor = page.get_by_test_id("query-input")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(word)
    page.keyboard.press("Escape")
    page.wait_for_timeout(_SETTLE_MS)
    requests.wait_for_all()
    page.evaluate("performance.clearResourceTimings(), performance.clearMarks()")
    page.evaluate(ENTER)
    # If no suggestions were shown, Escape has moved the focus to the results, where Enter opens a record.
    editor.focus()
    page.keyboard.press("Enter")
    try:
        painted, answered = page.evaluate("painted")
    except Error as error:
        raise Internal(f"{word!r}: {error.message}") from error
    if answered is None:
        raise Internal(f"the page showed rows of {word!r} without a search's answer; this run measured nothing")
    return float(painted), float(answered)
