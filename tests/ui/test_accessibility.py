"""Tests that axe-core finds no violation in the web UI, in the light and in the dark theme."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.running_stack import Stack
from tests.ui.axe import violations


@pytest.mark.usefixtures("samples")
def test_the_explorer_has_no_violations_in_any_of_its_states(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now")
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    expect(page.get_by_test_id("histogram-table").locator("tbody tr").first).to_be_attached()
    page.get_by_test_id("facet").filter(has_text="service").first.click()
    page.get_by_test_id("facet-value").first.click()
    expect(page.get_by_test_id("facet-clear")).to_be_visible()
    expect(page.get_by_test_id("results")).to_have_attribute("data-stale", "false")
    states = {"results": violations(page)}

    page.get_by_test_id("result-row").first.click()
    expect(page.get_by_test_id("detail-body")).to_be_visible()
    states["record"] = violations(page)
    page.get_by_test_id("tab-context").click()
    expect(page.get_by_test_id("context-row").first).to_be_visible()
    states["context"] = violations(page)
    page.get_by_test_id("detail-close").click()

    page.keyboard.press("?")
    expect(page.get_by_test_id("keys")).to_be_visible()
    states["keys"] = violations(page)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("keys")).to_have_count(0)
    page.get_by_test_id("auto-refresh").click()
    expect(page.get_by_role("menu")).to_be_visible()
    states["automatic refresh"] = violations(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    page.get_by_test_id("chart-by").click()
    expect(page.get_by_role("menu")).to_be_visible()
    states["fields of the chart"] = violations(page)
    page.get_by_role("menuitemradio", name="service", exact=True).click()
    expect(page.get_by_test_id("legend-key").filter(has_text="checkout")).to_be_visible()
    states["chart by a field"] = violations(page)
    page.get_by_test_id("legend-key").first.click()
    page.get_by_test_id("chart-tall").click()
    page.get_by_test_id("density").click()
    states["compact rows under a tall chart"] = violations(page)

    page.get_by_test_id("explain-open").click()
    expect(page.get_by_test_id("explain").get_by_role("heading", name="Plan")).to_be_visible()
    states["explain"] = violations(page)
    page.get_by_test_id("explain-close").click()
    expect(page.get_by_test_id("explain")).to_have_count(0)

    page.get_by_test_id("time-range").click()
    expect(page.get_by_test_id("time-range-panel")).to_be_visible()
    states["time range"] = violations(page)
    page.keyboard.press("Escape")
    page.get_by_test_id("tail-toggle").click()
    expect(page.get_by_test_id("tail")).to_be_visible()
    states["tail"] = violations(page)
    assert states == {state: [] for state in states}


@pytest.mark.usefixtures("samples")
def test_other_pages_have_no_violations(stack: Stack, page: Page, browser: Browser) -> None:
    page.goto(f"{stack.ui_url}?query=absentword&from=now-7h&to=now")
    expect(page.get_by_test_id("empty")).to_be_visible()
    states = {"nothing found": violations(page)}
    page.goto(f"{stack.ui_url}?query=(&from=now-7h&to=now")
    expect(page.get_by_test_id("error").first).to_be_visible()
    states["wrong query"] = violations(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    page.get_by_test_id("fields-open").click()
    expect(page.get_by_test_id("fields").get_by_test_id("facet").first).to_be_visible()
    states["fields on a phone"] = violations(page)
    page.goto(f"{stack.ui_url}no/such/page")
    expect(page.get_by_test_id("not-found")).to_be_visible()
    states["no such page"] = violations(page)
    form = browser.new_context().new_page()
    form.goto(stack.ui_url)
    expect(form.get_by_test_id("sign-in")).to_be_visible()
    states["sign-in"] = violations(form)
    assert states == {state: [] for state in states}
