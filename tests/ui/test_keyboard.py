"""Tests a journey from the address to a record and back that uses no pointer."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.running_stack import Stack
from tests.ui.test_journey import total


@pytest.mark.usefixtures("samples")
def test_a_record_is_found_read_and_left_by_keys_alone(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    total(page)
    keys = page.keyboard

    keys.press("/")
    query = page.get_by_test_id("query-input")
    expect(query).to_be_focused()
    keys.type("payment")
    # No suggestion is selected before an arrow key, so Enter runs the query.
    keys.press("Enter")
    rows = page.get_by_test_id("result-row")
    expect(rows.first).to_contain_text(re.compile("payment", re.IGNORECASE))
    expect(page).to_have_url(re.compile("payment"))

    results = page.get_by_test_id("results")
    for _ in range(2):
        if not results.evaluate("list => list === document.activeElement"):
            keys.press("Escape")
    expect(results).to_be_focused()
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    keys.press("Enter")
    detail = page.get_by_test_id("detail")
    expect(detail).to_be_visible()
    expect(page).to_have_url(re.compile("record="))
    expect(page.get_by_test_id("detail-body")).to_contain_text(re.compile("payment", re.IGNORECASE))
    second = page.url
    keys.press("Tab")
    assert detail.evaluate("panel => panel.contains(document.activeElement)")

    keys.press("Escape")
    expect(detail).to_have_count(0)
    expect(results).to_be_focused()
    keys.press("ArrowDown")
    keys.press("Enter")
    expect(detail).to_be_visible()
    expect(page).to_have_url(re.compile("record="))
    expect(page).not_to_have_url(second)
    keys.press("Escape")
    expect(results).to_be_focused()
