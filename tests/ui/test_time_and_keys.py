"""Tests of typed time ranges, of automatic refresh, and of the list of keyboard shortcuts."""

import re
import secrets
import time

import pytest
from playwright.sync_api import Page, expect

from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.ui.test_tail import send


def test_a_range_is_typed(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-1h&to=now")
    type_range(page, "last 90m")
    expect(page).to_have_url(re.compile("from=now-90m&to=now"))
    expect(page.get_by_test_id("time-range")).to_contain_text("Past 90 minutes")
    type_range(page, "2026-11-20 10:00 to 11:30")
    expect(page).to_have_url(re.compile("from=2026-11-20T10:00:00Z&to=2026-11-20T11:30:00Z"))
    page.get_by_test_id("time-range").click()
    page.get_by_test_id("relative-input").fill("next week")
    expect(page.get_by_test_id("typed-range")).to_contain_text("Not a range")


def test_a_search_is_refreshed_by_itself_without_dimming(stack: Stack, page: Page) -> None:
    word = f"refreshed{secrets.token_hex(4)}"
    send(stack, *(f"{word} number {number}" for number in range(90)))
    with Api(stack.api_url, stack.keys.query_key) as api:
        stored(api, word, 90)
        page.clock.install()
        page.goto(f"{stack.ui_url}?query={word}")
        rows = page.get_by_test_id("result-row")
        expect(rows.first).to_be_visible()
        page.get_by_test_id("auto-refresh").click()
        page.get_by_role("menuitemradio", name="Every 10 seconds").click()
        expect(page).to_have_url(re.compile("refresh=10s"))
        expect(page.get_by_test_id("auto-refresh")).to_have_text("10s")
        send(stack, f"{word} the newest")
        stored(api, word, 91)
    with page.expect_response(re.compile("/logs/search")):
        page.clock.run_for(11_000)
    expect(rows.first).to_contain_text("the newest")
    expect(rows.first).to_be_in_viewport()
    expect(page.get_by_test_id("results")).to_have_attribute("data-stale", "false")
    page.goto(f"{stack.ui_url}?query={word}&from=now-2h&to=now-1h&refresh=10s")
    expect(page.get_by_test_id("auto-refresh")).to_be_disabled()


@pytest.mark.usefixtures("samples")
def test_the_keys_are_listed(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    page.keyboard.press("?")
    keys = page.get_by_test_id("keys")
    expect(keys).to_contain_text("the next and the previous record")
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    page.get_by_test_id("query-input").click()
    page.keyboard.type("why?")
    expect(page.get_by_test_id("query-input")).to_have_text("why?")
    expect(keys).to_have_count(0)


def type_range(page: Page, text: str) -> None:
    page.get_by_test_id("time-range").click()
    page.get_by_test_id("relative-input").fill(text)
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("time-range-panel")).to_have_count(0)


def stored(api: Api, word: str, count: int) -> None:
    now_ns = time.time_ns()
    eventually(lambda: api.count(word, now_ns - 600 * 10**9, now_ns + 60 * 10**9) == count, "the logs are stored")
