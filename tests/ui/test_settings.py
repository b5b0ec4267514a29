"""Tests of the settings page, with an admin key of a tenant and with one of the operator."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import otlp
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import KNOWN_WITHIN_SECONDS, TenantKeys, new_tenant, operator_key
from tests.ui.axe import violations
from tests.ui.conftest import NO_CLIPBOARD, on_a_thread, signed_in

ROWS = {
    "Audit log": "audit-entry",
    "Storage": "storage-tenant",
    "Keys": "key-row",
    "Limits and retention": "limits",
    "Attribute policy": "rule-row",
    "Usage": "usage-outcome",
}
"""The sections with the test id of a part that shows their tables are filled."""
HAS_WIDE_TABLE = """() => [...document.querySelectorAll("section:has(> table)")]
  .some((section) => section.scrollWidth > section.clientWidth)"""
STORAGE = {
    "examined_at": "2026-11-24T06:00:00Z",
    "target_percent": 90,
    "guaranteed_bytes": 10**9,
    "volumes": [
        {
            "server": "http://clickhouse-1.logs.internal.example:8123",
            "total_bytes": 10**12,
            "used_bytes": 93 * 10**10,
            "used_percent": 93,
            "log_bytes": 5 * 10**11,
            "freed_later_bytes": 0,
            "over_bytes": 3 * 10**10,
            "target_reached_on": "2026-11-24",
        }
    ],
    "tenants": [
        {
            "tenant": "checkout-and-payments-of-the-shop-in-production",
            "stored_bytes": 3 * 10**9,
            "share_bytes": 2 * 10**9,
            "daily_bytes": 10**8,
            "oldest_day": "2026-11-01",
            "kept_from": None,
            "predicted_loss": {
                "on": "2026-11-27",
                "first_day": "2026-11-01",
                "last_day": "2026-11-02",
                "bytes": 2 * 10**8,
            },
        }
    ],
}
"""An answer about storage. Loaders of a new stack examine its disks only after a minute."""


@pytest.fixture
def tenant(stack: Stack) -> TenantKeys:
    return on_a_thread(new_tenant, stack, "settings")


@pytest.fixture
def signed_in_page(stack: Stack, browser: Browser, tenant: TenantKeys) -> Page:
    """Returns a page that is signed in with the tenant's query key."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900},
        timezone_id="UTC",
        reduced_motion="reduce",
        storage_state=signed_in(stack, tenant.query),
    )
    return context.new_page()


def test_a_new_key_is_copied_where_the_browser_has_no_clipboard_api(
    stack: Stack, tenant: TenantKeys, signed_in_page: Page
) -> None:
    page = signed_in_page
    page.add_init_script(NO_CLIPBOARD)
    page.goto(f"{stack.ui_url}settings")
    unlock(page, tenant.admin)
    page.get_by_test_id("key-create").click()
    shown = page.get_by_test_id("key-revealed")
    key = shown.locator("code").inner_text()
    shown.get_by_role("button").click()
    assert page.evaluate("window.copied") == key


def test_a_key_is_created_used_labelled_and_revoked_and_all_of_it_is_on_record(
    stack: Stack, tenant: TenantKeys, signed_in_page: Page
) -> None:
    page = signed_in_page
    page.goto(f"{stack.ui_url}settings")
    unlock(page, tenant.query)
    expect(page.get_by_test_id("admin-message")).to_contain_text("not an admin key")
    unlock(page, tenant.admin)

    page.get_by_test_id("key-label").fill("checkout, production")
    page.get_by_test_id("key-expiry").select_option("90")
    page.get_by_test_id("key-create").click()
    key = page.get_by_test_id("key-revealed").locator("code").inner_text()
    page.get_by_test_id("key-revealed-close").click()
    expect(page.get_by_text(key)).to_have_count(0)
    assert key.startswith("ls_ingest_")
    row = page.get_by_test_id("key-row").filter(has_text="checkout, production")
    expect(row).to_contain_text("works")
    eventually(lambda: status(stack, key) == 200, "the new key is known", KNOWN_WITHIN_SECONDS)

    row.get_by_test_id("key-relabel").click()
    expect(page.get_by_test_id("key-new-label")).to_have_value("checkout, production")
    page.get_by_test_id("key-new-label").fill("  checkout, staging ")
    page.get_by_test_id("key-label-save").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(row).to_have_count(0)
    row = page.get_by_test_id("key-row").filter(has_text="checkout, staging")
    expect(row).to_contain_text("works")

    row.get_by_test_id("key-revoke").click()
    page.get_by_test_id("key-revoke-confirm").click()
    expect(row).to_contain_text("revoked")
    expect(row.get_by_test_id("key-revoke")).to_have_count(0)
    eventually(lambda: status(stack, key) == 401, "the revoked key is refused", KNOWN_WITHIN_SECONDS)

    section(page, "Audit log")
    entries = page.get_by_test_id("audit-entry")
    expect(entries.nth(0)).to_contain_text("Key revoked")
    expect(entries.nth(0)).not_to_contain_text("removed")
    expect(entries.nth(1)).to_contain_text("Key labelled")
    expect(entries.nth(1)).to_contain_text(key.split("_")[2])
    expect(entries.nth(1)).to_contain_text("label: checkout, production → checkout, staging")
    expect(entries.nth(2)).to_contain_text("Key created")
    expect(entries.nth(2)).to_contain_text("checkout, production")

    page.reload()
    expect(entries.nth(0)).to_contain_text("Key revoked")
    page.get_by_test_id("admin-lock").click()
    expect(page.get_by_test_id("admin-form")).to_be_visible()


def test_rules_and_redactions_are_added_and_removed(stack: Stack, tenant: TenantKeys, signed_in_page: Page) -> None:
    page = signed_in_page
    page.goto(f"{stack.ui_url}settings/attributes")
    unlock(page, tenant.admin)
    page.get_by_test_id("rule-name").fill("user.email")
    page.get_by_test_id("rule-add").click()
    rule = page.get_by_test_id("rule-row").filter(has_text="user.email")
    expect(rule).to_contain_text("mask")
    expect(page.get_by_test_id("rule-name")).to_have_value("")

    page.get_by_role("form", name="New redaction").get_by_label("Redaction").select_option("")
    page.get_by_test_id("redaction-name").fill("session")
    page.get_by_test_id("redaction-expression").fill("sid=(")
    page.get_by_test_id("redaction-add").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_test_id("redaction-expression").fill("sid=[0-9a-f]{32}")
    page.get_by_test_id("redaction-add").click()
    expect(page.get_by_test_id("redaction-row")).to_contain_text("sid=[0-9a-f]{32}")
    expect(page.get_by_role("alert")).to_have_count(0)

    rule.get_by_test_id("rule-remove").click()
    expect(rule).to_have_count(0)


def test_only_an_operator_changes_limits(stack: Stack, tenant: TenantKeys, signed_in_page: Page) -> None:
    page = signed_in_page
    page.goto(f"{stack.ui_url}settings/limits")
    unlock(page, tenant.admin)
    expect(page.get_by_test_id("limits")).to_contain_text("30")
    expect(page.get_by_test_id("limits-save")).to_have_count(0)

    page.get_by_test_id("admin-lock").click()
    unlock(page, on_a_thread(operator_key, stack))
    page.get_by_label("Retention in days").fill("14")
    page.get_by_label("Records per second").fill("5,000")
    expect(page.get_by_test_id("limits-save")).to_be_disabled()
    page.get_by_label("Records per second").fill("5000")
    page.get_by_test_id("limits-save").click()
    section(page, "Audit log")
    entry = page.get_by_test_id("audit-entry").first
    expect(entry).to_contain_text("retention_days: 30 → 14")
    expect(entry).to_contain_text("5000")


def test_settings_have_no_violations(stack: Stack, tenant: TenantKeys, signed_in_page: Page) -> None:
    page = signed_in_page
    assert otlp.send(stack.otlp_http_url, tenant.ingest, otlp.request(otlp.record("hello"))).status_code == 200
    page.goto(f"{stack.ui_url}settings/usage")
    expect(page.get_by_test_id("usage-chart")).to_be_visible()
    eventually(lambda: has_usage(page), "the usage is counted")
    states: dict[str, list[Any]] = {"usage": violations(page)}
    section(page, "Keys")
    states["locked"] = violations(page)
    unlock(page, tenant.admin)
    expect(page.get_by_test_id("key-row").first).to_be_visible()
    states["keys"] = violations(page)
    page.get_by_test_id("key-create").click()
    expect(page.get_by_test_id("key-revealed")).to_be_visible()
    states["new key"] = violations(page)
    page.get_by_test_id("key-revealed-close").click()
    page.get_by_test_id("key-revoke").first.click()
    expect(page.get_by_test_id("key-revoke-confirm")).to_be_visible()
    states["revoke"] = violations(page)
    page.keyboard.press("Escape")
    section(page, "Limits and retention")
    expect(page.get_by_test_id("limits")).to_be_visible()
    states["limits"] = violations(page)
    section(page, "Attribute policy")
    page.get_by_role("button", name="Add recommended rules").click()
    expect(page.get_by_test_id("rule-row").first).to_be_visible()
    states["attributes"] = violations(page)
    section(page, "Audit log")
    expect(page.get_by_test_id("audit-entry").first).to_be_visible()
    states["audit"] = violations(page)
    page.set_viewport_size({"width": 390, "height": 844})
    states["audit on a phone"] = violations(page)
    page.route("**/api/v1/admin/storage", lambda route: route.fulfill(json=STORAGE))
    assert sections_with_wide_tables(page) == []
    assert states == {state: [] for state in states}


def sections_with_wide_tables(page: Page) -> list[str]:
    """Returns the sections of which a table is wider than its place on the page, so that it is scrolled sideways."""
    wide = []
    for name, row in ROWS.items():
        section(page, name)
        expect(page.get_by_test_id(row).first).to_be_visible()
        if page.evaluate(HAS_WIDE_TABLE):
            wide.append(name)
    return wide


def unlock(page: Page, key: str) -> None:
    page.get_by_test_id("admin-key").fill(key)
    page.get_by_role("button", name="Unlock settings").click()


def section(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Settings").get_by_role("link", name=name).click()


def status(stack: Stack, key: str) -> int:
    """Sends a request without records with this key, and returns the status of the answer."""
    return int(otlp.send(stack.otlp_http_url, key, otlp.request()).status_code)


def has_usage(page: Page) -> bool:
    page.reload()
    expect(page.get_by_test_id("usage-chart")).to_be_visible()
    expect(page.get_by_test_id("usage-outcome").or_(page.get_by_text("Nothing was sent")).first).to_be_visible()
    return page.get_by_test_id("usage-outcome").count() > 0


def has_storage(page: Page) -> bool:
    """Returns whether the page shows the storage of the tenant. Reloads the page of a new stack, which has no sizes."""
    shown = page.get_by_test_id("storage-tenant").first
    expect(shown.or_(page.get_by_text("No loader has examined the disks yet"))).to_be_visible()
    if shown.is_visible():
        return True
    page.reload()
    return False
