"""Tests of an open record: exact numbers, links, copies and long lines."""

import json
import re
import secrets

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.ui.conftest import NO_CLIPBOARD

NUMBERS = {
    "http.status_code": ({"intValue": "503"}, "503"),
    "ratio": ({"doubleValue": 503.0}, "503.0"),
    "big": ({"intValue": "9007199254740993"}, "9007199254740993"),
    "tiny": ({"doubleValue": 0.00001}, "1e-05|0.00001"),
}
TRACE = (
    "java.lang.IllegalStateException: no connection\n\tat com.example.shop.Cart.checkout(" + "Cart" * 60 + ".java:42)"
)
COPY = "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text } } })"


@pytest.fixture
def word(stack: Stack) -> str:
    """Returns a word that is in one record only, which has all kinds of numbers, a web address and a stack trace."""
    word = f"detail{secrets.token_hex(4)}"
    attributes = [{"key": name, "value": value} for name, (value, _) in NUMBERS.items()]
    body = f"{word} see https://docs.example.com/a?b=c#d.\n{TRACE}"
    answer = otlp.send(
        stack.otlp_http_url, stack.keys.ingest_key, otlp.request(otlp.record(body, attributes=attributes))
    )
    assert answer.status_code == 200
    with Api(stack.api_url, stack.keys.query_key) as api:
        eventually(lambda: len(api.ok("/logs/search", query=word)["logs"]) == 1, "the record is stored")
    return word


def open_record(stack: Stack, page: Page, word: str) -> Locator:
    page.goto(f"{stack.ui_url}?query={word}&from=now-1h&to=now")
    page.get_by_test_id("result-row").click()
    expect(page.get_by_test_id("detail-body")).to_be_visible()
    return page.get_by_test_id("detail")


def test_numbers_are_shown_and_filtered_for_as_they_were_sent(stack: Stack, word: str, page: Page) -> None:
    for name, (_, shown) in NUMBERS.items():
        field = open_record(stack, page, word).locator(f'[data-field="{name}"]')
        expect(field.get_by_test_id("field-value")).to_have_text(re.compile(f"^({shown})$"))
        field.hover()
        field.get_by_test_id("filter-for").click()
        expect(page).to_have_url(re.compile(name))
        expect(page.get_by_test_id("result-row")).to_have_count(1)
        field.get_by_test_id("filter-out").click()
        expect(page.get_by_test_id("empty")).to_be_visible()
    field = open_record(stack, page, word).locator('[data-field="http.status_code"]')
    field.hover()
    field.get_by_test_id("filter-for").click()
    expect(page.get_by_test_id("query-input")).to_have_text(f"{word} http.status_code:503")


def test_an_address_is_a_link_that_reveals_nothing_of_the_page(stack: Stack, word: str, page: Page) -> None:
    """Tests that a web address in a message is a link, which neither sends a referrer nor gives access to the page."""
    link = open_record(stack, page, word).get_by_role("link")
    expect(link).to_have_attribute("href", "https://docs.example.com/a?b=c#d")
    expect(link).to_have_attribute("rel", re.compile("noopener noreferrer"))
    expect(link).to_have_attribute("target", "_blank")


def test_the_record_is_copied_as_json_and_as_a_command_without_the_key(stack: Stack, word: str, page: Page) -> None:
    page.add_init_script(COPY)
    detail = open_record(stack, page, word)
    detail.get_by_test_id("detail-copy").click()
    page.get_by_test_id("copy-json").click()
    page.wait_for_function("window.copied !== undefined")
    with Api(stack.api_url, stack.keys.query_key) as api:
        [log] = api.ok("/logs/search", query=word)["logs"]
    assert json.loads(page.evaluate("window.copied")) == log

    detail.get_by_test_id("detail-copy").click()
    page.get_by_test_id("copy-curl").click()
    page.wait_for_function("window.copied.startsWith('curl')")
    copied = page.evaluate("window.copied")
    assert f"/api/v1/logs/{log['id']}" in copied
    assert stack.keys.query_key not in copied


def test_the_record_is_copied_from_the_menu_where_the_browser_has_no_clipboard_api(
    stack: Stack, word: str, page: Page
) -> None:
    page.add_init_script(NO_CLIPBOARD)
    detail = open_record(stack, page, word)
    detail.get_by_test_id("detail-copy").click()
    page.get_by_test_id("copy-json").click()
    assert json.loads(page.evaluate("window.copied"))["body"].startswith(word)


def test_long_lines_are_broken_or_scrolled_and_the_browser_remembers(stack: Stack, word: str, page: Page) -> None:
    wide = "element => element.scrollWidth > element.clientWidth"
    body = open_record(stack, page, word).get_by_test_id("detail-body")
    assert not body.evaluate(wide)
    page.get_by_test_id("wrap-message").click()
    assert body.evaluate(wide)
    page.reload()
    expect(body).to_be_visible()
    assert body.evaluate(wide)


def test_a_frame_of_a_stack_trace_does_not_break_behind_its_at(stack: Stack, word: str, page: Page) -> None:
    """Tests that `at` and the place that follows it in a stack trace are on the same line."""
    body = open_record(stack, page, word).get_by_test_id("detail-body")
    same_line = """element => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const at = node.data.indexOf("at com.");
        if (at < 0) continue;
        const top = offset => {
          const range = document.createRange();
          range.setStart(node, offset);
          range.setEnd(node, offset + 1);
          return range.getBoundingClientRect().top;
        };
        return top(at) === top(at + 3);
      }
    }"""
    assert body.evaluate(same_line) is True
