"""Tests that a retry repeats all requests that failed, and that any kind of run uses the typed text."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.running_stack import Stack
from tests.ui.test_journey import write

LOGS = re.compile(r"/api/v1/logs/(search|histogram|fields)\?")


@pytest.mark.usefixtures("samples")
def test_try_again_repairs_the_whole_page(stack: Stack, page: Page) -> None:
    page.goto(stack.ui_url)
    expect(page.get_by_test_id("tenant")).to_be_visible()
    page.route(LOGS, lambda route: route.abort())
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    expect(page.get_by_test_id("error")).to_contain_text("No connection")
    expect(page.get_by_test_id("histogram")).to_contain_text("No counts")
    expect(page.get_by_test_id("facets")).to_contain_text("cannot be shown")

    page.unroute(LOGS)
    page.get_by_test_id("retry").click()
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    expect(page.get_by_test_id("histogram-total")).to_contain_text(re.compile(r"\d"))
    expect(page.locator('[data-testid="facet"][data-field="severity"]')).to_be_visible()


@pytest.mark.usefixtures("samples")
def test_a_histogram_that_failed_alone_can_be_tried_again(stack: Stack, page: Page) -> None:
    histogram = re.compile("/logs/histogram")
    page.route(histogram, lambda route: route.abort())
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    retry = page.get_by_test_id("histogram-retry")
    expect(retry).to_be_visible()
    page.unroute(histogram)
    retry.click()
    expect(page.get_by_test_id("histogram-total")).to_contain_text(re.compile(r"\d"))


@pytest.mark.usefixtures("samples")
def test_typed_text_is_run_with_another_time_range(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    write(page, "payment")
    page.get_by_test_id("time-range").click()
    page.get_by_test_id("time-range-panel").get_by_text("24h").click()
    expect(page).to_have_url(re.compile(r"\?query=payment&from=now-24h&to=now$"))
    expect(page.get_by_test_id("query-input")).to_have_text("payment")
    expect(page.get_by_test_id("result-row").first.locator("mark").first).to_have_text(re.compile("payment", re.I))


@pytest.mark.usefixtures("samples")
def test_typed_text_is_tailed(stack: Stack, page: Page) -> None:
    page.goto(stack.ui_url)
    write(page, "nobodylogsthis")
    with page.expect_request(re.compile("/logs/tail.*nobodylogsthis")):
        page.get_by_test_id("tail-toggle").click()
    expect(page.get_by_test_id("tail-status")).to_have_text("Live")
    expect(page).to_have_url(re.compile("query=nobodylogsthis"))
    expect(page.get_by_test_id("tail-toggle")).to_have_attribute("aria-pressed", "true")


@pytest.mark.usefixtures("samples")
def test_typed_text_is_kept_by_a_filter(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    write(page, "payment")
    page.locator('[data-testid="facet"][data-field="severity"]').click()
    page.locator('[data-testid="facet-value"][data-value="error"]').click()
    expect(page).to_have_url(re.compile(r"query=payment\+severity:error"))
