"""Tests of patterns in the web UI: templates with their shares, and the searches for the logs of a pattern."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.api_client import Api
from tests.running_stack import Stack
from tests.ui.axe import violations


@pytest.mark.usefixtures("samples")
def test_patterns_lead_to_their_logs_and_leave_them_out(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=service:payments&from=now-7h&to=now")
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    page.get_by_role("button", name="Patterns", exact=True).click()
    rows = page.get_by_test_id("pattern")
    expect(rows.first).to_be_visible()
    with Api(stack.api_url, stack.keys.query_key) as api:
        addresses = page.evaluate("performance.getEntriesByType('resource').map(({name}) => name)")
        [*_, last] = [address for address in addresses if "/patterns?" in address]
        answer = api.get("/logs/patterns?" + last.split("?", 1)[1]).json()
    templates = [row.locator("p").inner_text() for row in rows.all()]
    expected = [each["template"] for each in answer["patterns"]]
    assert [text.removeprefix("new") for text in templates] == expected
    assert rows.first.locator("mark").count() == expected[0].count("<*>")

    rows.first.get_by_test_id("pattern-hide").click()
    expect(page).to_have_url(re.compile("mode=patterns"))
    expect(rows.first.locator("p")).not_to_have_text(expected[0])
    page.go_back()
    expect(rows.first.locator("p")).to_contain_text(expected[0])
    rows.first.get_by_test_id("pattern-show").click()
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    expect(page).not_to_have_url(re.compile("mode="))


@pytest.mark.usefixtures("samples")
def test_patterns_have_no_violations_and_fit_a_phone(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?mode=patterns&from=now-7h&to=now")
    expect(page.get_by_test_id("pattern").first).to_be_visible()
    states = {"wide": violations(page)}
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_test_id("pattern").first).to_be_visible()
    states["phone"] = violations(page)
    page.goto(f"{stack.ui_url}?mode=patterns&query=absentword&from=now-7h&to=now")
    expect(page.get_by_text("there are no patterns")).to_be_visible()
    states["none"] = violations(page)
    assert states == {state: [] for state in states}
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
