"""Tests that text pasted from a log can be searched, and that a query without results gets hints."""

import pytest
from playwright.sync_api import Page, expect

from tests.running_stack import Stack

pytestmark = pytest.mark.usefixtures("samples")


def search(page: Page, stack: Stack, text: str) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    editor = page.get_by_test_id("query-input")
    editor.click()
    page.keyboard.insert_text(text)
    page.keyboard.press("Escape")
    page.get_by_test_id("run").click()


def test_refused_text_is_searched_as_text_by_one_click(stack: Stack, page: Page) -> None:
    search(page, stack, '{"level": "info", "msg": (x)')
    page.get_by_test_id("search-as-text").click()
    expect(page.get_by_test_id("error")).to_have_count(0)
    expect(page.get_by_test_id("empty")).to_contain_text("No logs in this range match the query.")


def test_a_hint_runs_the_query_that_was_meant(stack: Stack, page: Page) -> None:
    search(page, stack, "level:error")
    hints = page.get_by_test_id("hints")
    expect(hints).to_contain_text("No record in this range has the field level; did you mean severity?")
    hints.get_by_role("button", name="Search severity:error").click()
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    expect(hints).to_have_count(0)
