"""Tests of a page whose query key is revoked while a form is open."""

import json

from playwright.sync_api import Browser, expect

from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import new_tenant
from tests.ui.axe import violations
from tests.ui.conftest import on_a_thread, signed_in


def test_the_form_is_as_it_was_after_signing_in_again(stack: Stack, browser: Browser) -> None:
    keys = on_a_thread(new_tenant, stack, "refused-key")
    created = stack.logsieve("key", "create", keys.tenant, "query", "--json")
    assert created.returncode == 0, created.stderr
    newer = json.loads(created.stdout)["key"]
    page = browser.new_context(storage_state=signed_in(stack, keys.query), reduced_motion="reduce").new_page()
    page.goto(f"{stack.ui_url}alerts")
    page.get_by_test_id("alert-new").click()
    with page.expect_response("**/SignInAgain*.js"):
        page.get_by_test_id("alert-name").fill("Errors of a service")
    # The server of a later version has other files.
    page.route("**/SignIn*", lambda route: route.abort())
    page.get_by_test_id("alert-threshold").fill("5")
    page.get_by_label("Notices to").select_option("none")
    assert stack.logsieve("key", "revoke", keys.query.split("_")[2]).returncode == 0
    with Api(stack.api_url, keys.query) as api:
        eventually(lambda: api.get("/tenant").status_code == 401, "the revoked key is refused")

    page.get_by_test_id("alert-submit").click()
    expect(page.get_by_test_id("sign-in-key")).to_be_focused()
    expect(page.get_by_test_id("sign-in")).to_contain_text("The query key was revoked or has expired.")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_text("Sign in to Logsieve").click()
    page.get_by_test_id("sign-in-key").fill(newer)
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("sign-in-key")).to_have_count(0)
    expect(page.get_by_test_id("alert-name")).to_have_value("Errors of a service")
    page.get_by_test_id("alert-submit").click()
    expect(page.get_by_role("heading", name="Errors of a service")).to_be_visible()
