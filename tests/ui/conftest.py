"""Fixtures of tests of the web UI: a browser, a page that is signed in, and a stack's sample logs."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar, cast

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, StorageState, expect

from loadtest.explorer.browser import BROWSERS, HEADLESS_SHELL, chromium
from stack.samples.send import send_samples
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack

P = ParamSpec("P")
T = TypeVar("T")
SAMPLES = 5_000
NO_CLIPBOARD = """
    Object.defineProperty(navigator, "clipboard", { value: undefined })
    document.addEventListener("copy", event => { window.copied = event.target.value })
"""
"""Script of a page whose browser has no clipboard API, as over plain HTTP. `window.copied` is the text copied last."""
FOREIGN_PAGE = "http://hostile.example/"
"""Page of an attacker, whose requests the browser refuses."""
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def samples(stack: Stack) -> int:
    """Sends sample logs to tenant `demo` like `up`, waits until they are stored, and returns their number."""
    endpoint = stack.otlp_http_url.removesuffix("/v1/logs")
    end_ns = time.time_ns()
    start_ns = end_ns - 7 * 3600 * 10**9
    with Api(stack.api_url, stack.keys.query_key) as api:
        before = api.count("", start_ns, end_ns)
        sent = send_samples(endpoint, stack.keys.ingest_key, count=SAMPLES, seed=1, now_ns=end_ns).records
        eventually(lambda: api.count("", start_ns, end_ns) >= before + sent, "the samples are stored")
    return sent


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Yields a browser. It ends with this package, because with its event loop, asyncio.run fails in other tests."""
    with chromium((HEADLESS_SHELL, *BROWSERS)) as browser:
        yield browser


@pytest.fixture(autouse=True)
def pages_without_errors(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Closes all contexts that a test opens in the browser, and fails the test if one of their pages has an error.

    An error is an uncaught one, or one in the console other than a failed request.
    """
    if "browser" not in request.fixturenames:
        yield
        return
    browser: Browser = request.getfixturevalue("browser")
    create, opened, errors = browser.new_context, list[BrowserContext](), list[str]()

    def new_context(**options: Any) -> BrowserContext:
        context = create(**options)
        opened.append(context)
        context.on("weberror", lambda found: errors.append(str(found.error)))
        context.on("console", lambda message: errors.append(message.text) if _unexpected(message) else None)
        return context

    monkeypatch.setattr(browser, "new_context", new_context)
    yield
    for context in opened:
        context.close()
    assert errors == []


@pytest.fixture
def page(stack: Stack, browser: Browser) -> Page:
    """Returns a new page that is signed in to tenant `demo`."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, locale="en-GB", timezone_id="UTC", storage_state=signed_in(stack)
    )
    return context.new_page()


def signed_in(stack: Stack, query_key: str | None = None) -> StorageState:
    """Returns the storage of a browser that is signed in with this query key, or else to tenant `demo`."""
    value = query_key or stack.keys.query_key
    kept = [{"name": "logsieve.query-key", "value": value}]
    return cast("StorageState", {"origins": [{"origin": stack.ui_url.rstrip("/"), "localStorage": kept}]})


def on_a_thread(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Calls a function that runs an event loop. The tests' own thread runs the browser's event loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments, **options).result()


def _unexpected(message: ConsoleMessage) -> bool:
    is_foreign = message.location["url"].startswith(FOREIGN_PAGE)
    return message.type == "error" and not is_foreign and not message.text.startswith("Failed to load resource")
