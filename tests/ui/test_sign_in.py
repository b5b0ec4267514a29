"""Tests of signing in with a key, or with a link of `logsieve ui`, which works once."""

import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.running_stack import Stack
from tests.ui.conftest import FOREIGN_PAGE


@pytest.fixture
def stranger(browser: Browser) -> Page:
    """Returns a page in a browser that was never signed in."""
    return browser.new_context(timezone_id="UTC").new_page()


def link(stack: Stack) -> str:
    printed = stack.logsieve("ui", "--json")
    assert printed.returncode == 0, printed.stderr
    return str(json.loads(printed.stdout)["sign_in_url"])


def test_a_link_signs_one_browser_in_once(stack: Stack, stranger: Page, browser: Browser) -> None:
    url = link(stack)
    stranger.goto(url)
    expect(stranger.get_by_test_id("tenant")).to_contain_text("demo")
    expect(stranger).not_to_have_url(re.compile("sign-in"))
    stranger.reload()
    expect(stranger.get_by_test_id("tenant")).to_contain_text("demo")

    other = browser.new_context().new_page()
    other.goto(url)
    expect(other.get_by_test_id("error")).to_contain_text("used before or has expired")
    # The same tab opens a new link, which differs only in its fragment.
    other.goto(link(stack))
    expect(other.get_by_test_id("tenant")).to_contain_text("demo")


def test_without_a_link_the_page_shows_a_field_for_a_key(stack: Stack, stranger: Page) -> None:
    stranger.goto(stack.ui_url)
    stranger.get_by_test_id("sign-in-key").fill(stack.keys.query_key)
    stranger.get_by_test_id("sign-in-submit").click()
    expect(stranger.get_by_test_id("tenant")).to_contain_text("demo")


def test_a_page_of_another_origin_is_given_nothing(stack: Stack, stranger: Page) -> None:
    """Tests that a page of another origin cannot sign in: it has no token, and may not send the token's header.

    An attacker's page could come from a name that DNS then changes to this address.
    """
    stranger.route(FOREIGN_PAGE, lambda route: route.fulfill(body="<p>hostile</p>", content_type="text/html"))
    stranger.goto(FOREIGN_PAGE)
    token = link(stack).partition("#sign-in=")[2]
    request = """async ([url, headers]) => {
      try { return (await fetch(url, { method: "POST", headers })).status } catch (error) { return "blocked" }
    }"""
    url = f"{stack.api_url}/ui/session"
    assert stranger.evaluate(request, [url, {"X-Logsieve-Sign-In": token}]) == "blocked"
    stranger.goto(stack.ui_url)
    assert stranger.evaluate(request, [url, {}]) in (400, 422)
    # The token still works, because the browser never sent the other origin's request.
    assert stranger.evaluate(request, [url, {"X-Logsieve-Sign-In": token}]) == 200
