"""Tests that alert rules are created, changed, muted and deleted in the web UI, and that their states are shown."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.api_client import Api
from tests.running_stack import Stack
from tests.tenants import new_tenant
from tests.ui.axe import violations
from tests.ui.conftest import on_a_thread, signed_in

QUERY = "severity:>=error | stats count() by service"


def test_a_rule_is_created_changed_muted_and_deleted(stack: Stack, browser: Browser) -> None:
    keys = on_a_thread(new_tenant, stack, "alerts")
    page = opened(stack, browser, keys.query)
    expect(page.get_by_text("No rules yet")).to_be_visible()
    states = {"no rules": violations(page)}

    page.get_by_test_id("alert-new").click()
    page.get_by_test_id("alert-name").fill("Errors of a service")
    page.get_by_test_id("alert-threshold").fill("5")
    expect(page.get_by_test_id("alert-preview")).to_contain_text("The dashed line is the threshold, 5.")
    page.get_by_label("Notices to").select_option("email")
    page.get_by_test_id("alert-destination").fill("on-call@example.org")
    states["form"] = violations(page)
    page.get_by_test_id("alert-submit").click()
    expect(page.get_by_role("alert")).to_contain_text("sends no e-mail")
    page.get_by_label("Notices to").select_option("none")
    page.get_by_test_id("alert-query").fill("severity:>=error | stats cont()")
    page.get_by_test_id("alert-submit").click()
    expect(page.get_by_role("alert")).to_contain_text("ont is not a function")
    page.get_by_test_id("alert-query").fill(QUERY)
    page.get_by_test_id("alert-submit").click()

    expect(page.get_by_role("heading", name="Errors of a service")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/alerts/[0-9a-f]{12}$"))
    expect(page.get_by_test_id("alert-state")).to_have_text(re.compile("^(not evaluated yet|ok)$"))
    states["rule"] = violations(page)
    page.get_by_test_id("alert-edit").click()
    page.get_by_test_id("alert-threshold").fill("7.5")
    page.get_by_test_id("alert-submit").click()
    expect(page.get_by_text("count() > 7.5")).to_be_visible()
    page.get_by_test_id("alert-mute").click()
    page.get_by_role("menuitem", name="1 hour").click()
    expect(page.get_by_text("Muted until")).to_be_visible()
    with Api(stack.api_url, keys.query) as api:
        [rule] = api.ok("/alerts")["alerts"]
    assert (rule["query"], rule["condition"]["threshold"], rule["channels"]) == (QUERY, 7.5, [])
    assert rule["muted_until"] is not None
    page.get_by_test_id("alert-mute").click()
    expect(page.get_by_text("Muted until")).to_have_count(0)

    page.get_by_role("link", name="show its numbers").click()
    expect(page.get_by_test_id("chart")).to_be_visible()
    expect(page.get_by_test_id("query-input")).to_have_text(QUERY)
    page.go_back()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_test_id("alert-delete")).to_be_visible()
    states["phone"] = violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_test_id("alert-delete").click()
    page.get_by_test_id("alert-delete-confirm").click()
    expect(page.get_by_text("No rules yet")).to_be_visible()
    with Api(stack.api_url, keys.query) as api:
        assert api.ok("/alerts")["alerts"] == []
    assert states == {state: [] for state in states}


def test_the_form_says_which_queries_a_rule_can_have(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}alerts")
    page.get_by_test_id("alert-new").click()
    expect(page.get_by_text("A query with | stats.")).to_be_visible()
    expect(page.get_by_role("option", name="0 s (at once)")).to_be_attached()


def opened(stack: Stack, browser: Browser, query_key: str) -> Page:
    """Opens the page of alerts, signed in with this key."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900},
        reduced_motion="reduce",
        timezone_id="UTC",
        storage_state=signed_in(stack, query_key),
    )
    page = context.new_page()
    page.goto(f"{stack.ui_url}alerts")
    return page
