"""Sends a tenant's records, and measures the search page over them in a browser."""

import statistics
from typing import Final
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Browser, Page, ViewportSize

from kit.errors import Internal
from loadtest.bench import Bench
from loadtest.control import create_key
from loadtest.explorer.browser import chromium
from loadtest.explorer.first_load import first_load
from loadtest.explorer.in_page import ENTER, INTERACTIVE, PLAIN, SCROLL
from loadtest.explorer.open_requests import OpenRequests
from loadtest.explorer.study import FREQUENT_MS, RARE_MS, ExplorerReport, Painted, Scrolled
from loadtest.log_store import wait_for_tenant
from loadtest.own_stack import OwnStack
from loadtest.peers.connection import Address
from loadtest.peers.corpus import BUCKET_NS, SPAN_NS, PeerCorpus, read_requests, write_requests
from loadtest.peers.send import send_all
from schema.control.models import Purpose

ROWS_A_FRAME: Final = 10
_ROW_HEIGHT: Final = 26
"""Height of a row of results in CSS pixels (frontend/src/results/scrolling.ts)."""
WORDS: Final = (
    ("frequent", "zfrequent", FREQUENT_MS),
    ("rare", "zmorning", RARE_MS),
    ("scarce", "zscarce", RARE_MS),
)
"""Searched words: a name for the word's frequency, the word, and the goal in milliseconds."""
_RANGE: Final = {"from": "now-8h", "to": "now"}
"""Time range of the page, in parameters of its URL. It contains the six hours of the corpus for at least an hour.

It is relative, so that each Enter is a new search. Over an absolute range, the page shows a repeated query from its own
cache and sends no request.
"""
_VIEWPORT: Final[ViewportSize] = {"width": 1440, "height": 900}
_SETTLE_MS: Final = 500
"""Milliseconds without input before each Enter, so that the page has sent its request for suggestions."""


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


def measure(bench: Bench, stack: OwnStack, records: int, runs: int, rows: int) -> ExplorerReport:
    """Returns the report. Raises Unavailable if sent records do not become searchable."""
    start_ns = (bench.clock.now_ns() - SPAN_NS) // BUCKET_NS * BUCKET_NS
    corpus = PeerCorpus(records, bench.seed, start_ns)
    sender = stack.create_sender("explorer")
    bench.say(f"sending {records:,} records")
    write_requests(corpus, file := stack.home / "explorer-requests")
    receiver = Address(*stack.otlp_http, {"authorization": f"Bearer {sender.ingest_key}"})
    send_all(receiver, "/v1/logs", read_requests(file))
    wait_for_tenant(stack.settings, sender.lane, sender.tenant_id, records)
    key = create_key(stack.settings, sender.tenant, Purpose.query)
    url = f"http://{urlsplit(stack.api_url).netloc}/?{urlencode(_RANGE)}"
    with chromium() as browser:
        context = browser.new_context(viewport=_VIEWPORT, timezone_id="UTC")
        context.add_init_script(f"localStorage.setItem('logsieve.query-key', '{key}'); ({INTERACTIVE})()")
        page = context.new_page()
        page.set_default_timeout(120_000)
        requests = OpenRequests(page)
        loaded = first_load(page, url)
        interactive_ms: float = page.evaluate("interactive")
        bench.say("running queries")
        painted = tuple(_painted(page, requests, runs))
        bench.say(f"scrolling {rows:,} rows")
        scrolled = scroll_results(page, url, rows)
        bench.say(f"scrolling {rows:,} plain rows")
        plain = scroll_plain_rows(browser, _VIEWPORT, rows)
    return ExplorerReport(
        records=records,
        runs=runs,
        painted=painted,
        scrolled=scrolled,
        plain=plain,
        first_load_kb=loaded.kilobytes,
        interactive_ms=interactive_ms,
    )


def _painted(page: Page, requests: OpenRequests, runs: int) -> list[Painted]:
    """Alternates between all queries, `runs` times each, after one run of each that is not counted."""
    rounds = [{word: _run(page, requests, word) for _, word, _ in WORDS} for _ in range(1 + runs)]
    counted = {word: [each[word] for each in rounds[1:]] for _, word, _ in WORDS}
    return [
        Painted(
            words=words,
            query=word,
            goal_ms=goal_ms,
            p50_ms=statistics.median(each for each, _ in counted[word]),
            worst_ms=max(each for each, _ in counted[word]),
            search_ms=statistics.median(each for _, each in counted[word]),
        )
        for words, word, goal_ms in WORDS
    ]


def _run(page: Page, requests: OpenRequests, word: str) -> tuple[float, float]:
    """Types a query and runs it once all requests of the previous run have ended.

    Returns milliseconds until its rows are painted, and of the search's answer.
    Raises Internal if no answer of a search is seen, because the rows then come from the page's own cache.
    """
    page.get_by_test_id("query-input").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(word)
    page.keyboard.press("Escape")
    page.wait_for_timeout(_SETTLE_MS)
    requests.wait_for_all()
    page.evaluate("performance.clearResourceTimings(), performance.clearMarks()")
    page.evaluate(ENTER)
    page.keyboard.press("Enter")
    painted, answered = page.evaluate("painted")
    if answered is None:
        raise Internal(f"the page showed rows of {word!r} without a search's answer; this run measured nothing")
    return float(painted), float(answered)
