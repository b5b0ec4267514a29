"""Tests that a search is saved as a view, opened by its link and as the default, changed and deleted, by keyboard."""

import re
import time

from playwright.sync_api import Browser, Page, expect

from tests import otlp
from tests.api_client import Api
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant
from tests.ui.axe import violations
from tests.ui.conftest import on_a_thread, signed_in


def test_a_view_is_saved_linked_changed_and_deleted(stack: Stack, browser: Browser) -> None:
    keys = on_a_thread(new_tenant, stack, "views")
    now = time.time_ns()
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(otlp.record("pomegranate", now))).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(1, now - 10**9, now + 10**9)
    page = opened(stack, browser, keys, "?query=pomegranate&from=now-6h&to=now&order=asc&columns=service,user.id~120")
    expect(page.get_by_test_id("result-row")).to_be_visible()

    page.get_by_test_id("views").press("Enter")
    expect(page.get_by_role("menuitem", name="Save as a new view…")).to_be_focused()
    assert violations(page) == []
    page.keyboard.press("Enter")
    page.get_by_test_id("view-name").fill("Fruit")
    page.get_by_test_id("view-folder").fill("shop")
    page.get_by_test_id("view-default").check()
    assert violations(page) == []
    page.get_by_test_id("view-submit").press("Enter")
    expect(page.get_by_test_id("views")).to_have_text("Fruit")
    with Api(stack.api_url, keys.query) as api:
        (listed,) = api.ok("/views")["views"]
        view = api.ok(f"/views/{listed['id']}")
    assert (view["query"], view["start"], view["order"], view["folder"]) == ("pomegranate", "now-6h", "asc", "shop")
    assert view["columns"] == [{"field": "service", "width": None}, {"field": "user.id", "width": 120}]
    link = f"?view={view['id']}"

    other = opened(stack, browser, keys, f"{link}&from=now-7d")
    expect(other).to_have_url(
        re.compile(r"query=pomegranate&.*from=now-7d&to=now&order=asc&columns=service,user\.id~120")
    )
    expect(other.get_by_test_id("views")).to_have_text("Fruitchanged")
    other.get_by_test_id("views").click()
    other.get_by_test_id("view-save").click()
    other.get_by_test_id("view-name").fill("Fruit of a week")
    other.get_by_test_id("view-submit").click()
    expect(other.get_by_test_id("views")).to_have_text("Fruit of a week")

    page.get_by_test_id("views").click()
    page.get_by_test_id("view-save").click()
    page.get_by_test_id("view-submit").click()
    expect(page.get_by_test_id("view-message")).to_contain_text("This view was changed meanwhile")
    page.keyboard.press("Escape")
    page.get_by_test_id("views").click()
    page.get_by_test_id("view-item").filter(has_text="Fruit of a week").click()
    expect(page).to_have_url(re.compile("from=now-7d"))

    first = opened(stack, browser, keys, "")
    expect(first).to_have_url(re.compile(f"query=pomegranate&.*from=now-7d.*view={view['id']}"))

    page.get_by_test_id("views").click()
    page.get_by_test_id("view-delete").click()
    page.get_by_test_id("view-delete-confirm").click()
    expect(page.get_by_test_id("views")).to_have_text("Views")
    deleted = opened(stack, browser, keys, link)
    expect(deleted.get_by_test_id("view-opening")).to_contain_text("There is no view")
    assert violations(deleted) == []


def opened(stack: Stack, browser: Browser, keys: TenantKeys, search: str) -> Page:
    """Returns a page of a browser that is signed in to the tenant."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, timezone_id="UTC", storage_state=signed_in(stack, keys.query)
    )
    page = context.new_page()
    page.goto(f"{stack.ui_url}{search}")
    return page
