"""Tests a user's usual steps on the search page: open, search, zoom, open a record, share the URL."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.api_client import Api
from tests.running_stack import Stack
from tests.ui.conftest import SAMPLES, signed_in


def test_open_search_zoom_read_share(stack: Stack, samples: int, page: Page, browser: Browser) -> None:
    assert samples == SAMPLES
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    expect(page.get_by_test_id("tenant")).to_contain_text("demo")
    expect(page.get_by_test_id("histogram-total")).to_contain_text(re.compile(r"\d"))
    everything = total(page)
    assert everything >= SAMPLES

    search(page, "connection (error OR refused OR reset)")
    expect(page.get_by_test_id("result-row").first.locator("mark").first).to_have_text(
        re.compile("connection|error|refused|reset", re.IGNORECASE)
    )
    found = total(page)
    assert 0 < found < everything
    assert found == api_count(stack, page)

    zoom(page)
    expect(page).to_have_url(re.compile("from=20"))
    zoomed = total(page)
    assert 0 < zoomed < found
    assert zoomed == api_count(stack, page)

    page.get_by_test_id("result-row").first.click()
    detail = page.get_by_test_id("detail")
    expect(detail).to_contain_text("service.name")
    body = page.get_by_test_id("detail-body").inner_text()
    expect(page).to_have_url(re.compile("record="))

    other = browser.new_context(
        viewport={"width": 1024, "height": 768}, timezone_id="UTC", storage_state=signed_in(stack)
    ).new_page()
    other.goto(page.url)
    expect(other.get_by_test_id("detail-body")).to_have_text(body)
    expect(other.get_by_test_id("histogram-total")).to_have_text(page.get_by_test_id("histogram-total").inner_text())

    page.get_by_test_id("detail-close").click()
    expect(detail).to_have_count(0)


@pytest.mark.usefixtures("samples")
def test_a_value_of_a_field_narrows_the_search(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    everything = total(page)
    page.locator('[data-testid="facet"][data-field="severity"]').click()
    value = page.locator('[data-testid="facet-value"][data-value="error"]')
    expect(value).to_contain_text(re.compile(r"\d"))
    shown = page.get_by_test_id("histogram-total")
    before = shown.inner_text()
    with page.expect_response(re.compile("/logs/histogram")):
        value.click()
    expect(page).to_have_url(re.compile("query=severity:error"))
    expect(shown).not_to_have_text(before)
    assert 0 < total(page) == api_count(stack, page) < everything


@pytest.mark.usefixtures("samples")
def test_a_page_is_streamed_and_what_was_found_stays_when_it_breaks_off(stack: Stack, page: Page) -> None:
    """Tests that a streamed search whose answer ends with an error shows the error and the rows before it."""

    def break_off(route: Route) -> None:
        lines = route.fetch().text().splitlines()
        records = [line for line in lines if line.startswith('{"log"')][:3]
        problem = {"error": {"status": 422, "code": "query_too_expensive", "detail": "it reads too much"}}
        body = "\n".join([*records, json.dumps(problem), ""])
        route.fulfill(body=body, content_type="application/x-ndjson")

    page.route(re.compile("/logs/search"), break_off)
    with page.expect_response(re.compile("/logs/search")):
        page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    expect(page.get_by_test_id("error")).to_contain_text("It reads too much.")
    expect(page.get_by_test_id("result-row")).to_have_count(3)

    page.unroute(re.compile("/logs/search"))
    with page.expect_response(re.compile("/logs/search")) as streamed:
        page.get_by_test_id("retry").click()
    assert streamed.value.headers["content-type"] == "application/x-ndjson"
    expect(page.get_by_test_id("error")).to_have_count(0)
    expect(page.get_by_test_id("stats")).to_be_visible()


def test_a_mistake_is_shown_where_it_is(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-1h&to=now")
    write(page, "service:payments AND (error")
    page.get_by_test_id("run").click()

    expect(page.get_by_test_id("error").first).to_contain_text("At character")
    expect(page.get_by_test_id("error").first).to_contain_text("parenthesis")


def test_a_plan_is_copied_where_the_browser_has_no_clipboard_api(stack: Stack, page: Page) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.goto(f"{stack.ui_url}?query=payment&explain=1")
    plan = page.get_by_test_id("explain")
    understood = plan.locator("section", has_text="Query in canonical form")
    expect(understood.locator("pre")).to_have_text("payment")
    understood.get_by_role("button").click()
    expect(understood.get_by_role("status")).to_have_text("Copied")

    page.get_by_test_id("explain-close").click()
    expect(plan).to_have_count(0)
    write(page, "x")
    # The key goes to the query although the drawer, or Escape without suggestions, may have moved the focus.
    page.get_by_test_id("query-input").press("ControlOrMeta+v")
    expect(page.get_by_test_id("query-input")).to_have_text("xpayment")


def test_dark_is_remembered(stack: Stack, page: Page) -> None:
    page.goto(stack.ui_url)
    before = background(page)
    page.get_by_test_id("theme-toggle").click()
    after = background(page)
    page.reload()

    assert before != after
    assert background(page) == after


def search(page: Page, query: str) -> None:
    """Types and runs a query, and waits until its rows are shown."""
    write(page, query)
    with page.expect_response(re.compile("/logs/histogram")) as histogram:
        page.get_by_test_id("run").click()
    assert histogram.value.ok
    expect(page.get_by_test_id("result-row").first).to_be_visible()


def write(page: Page, query: str) -> None:
    page.get_by_test_id("query-input").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(query)
    page.keyboard.press("Escape")


def zoom(page: Page) -> None:
    """Zooms into the highest bars of the histogram, which are the sample logs' incident, by dragging over them."""
    box = page.get_by_test_id("histogram").locator("canvas").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    with page.expect_response(re.compile("/logs/histogram")):
        page.mouse.move(box["x"] + box["width"] * 0.72, middle)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.9, middle, steps=10)
        page.mouse.up()
    expect(page.get_by_test_id("result-row").first).to_be_visible()


def total(page: Page) -> int:
    """Waits until the histogram shows the current query, and returns the number of logs above it."""
    page.wait_for_load_state("networkidle")
    expect(page.get_by_test_id("histogram")).to_have_attribute("aria-busy", "false")
    shown = page.get_by_test_id("histogram-total")
    expect(shown).to_contain_text(re.compile(r"\d"))
    return int(re.sub(r"\D", "", shown.inner_text()))


def api_count(stack: Stack, page: Page) -> int:
    """Returns the number of logs that the API counts for the page's query and range."""
    requested = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    last = [url for url in requested if "/logs/histogram" in url][-1]
    parameters = {name: values[0] for name, values in parse_qs(urlsplit(last).query).items()}
    with Api(stack.api_url, stack.keys.query_key) as api:
        histogram = api.ok("/logs/histogram", **parameters)
    return sum(bucket["total"] for bucket in histogram["buckets"])


def background(page: Page) -> str:
    page.wait_for_load_state("networkidle")
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))
