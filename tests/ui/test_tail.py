"""Tests of live tail: records appear without a reload, but not while the list is paused or scrolled."""

import re
import secrets

from playwright.sync_api import Page, expect

from tests import otlp
from tests.running_stack import Stack


def test_what_arrives_is_shown_until_the_tail_is_left(stack: Stack, page: Page) -> None:
    word = f"tailed{secrets.token_hex(4)}"
    page.goto(f"{stack.ui_url}?query={word}")
    toggle = page.get_by_test_id("tail-toggle")
    toggle.click()
    expect(page.get_by_test_id("tail-status")).to_have_text("Live")
    rows = page.get_by_test_id("result-row")
    send(stack, f"{word} first", "another", f"{word} second")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("second")
    expect(toggle).to_have_attribute("aria-pressed", "true")

    pause = page.get_by_test_id("tail-pause")
    pause.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("tail-status")).to_have_text("Paused")
    send(stack, *(f"{word} number {number}" for number in range(60)))
    expect(pause).to_have_text("Show 60 new")
    expect(rows).to_have_count(2)
    page.keyboard.press("Enter")
    expect(rows.first).to_contain_text("number 59")

    page.get_by_test_id("results").focus()
    page.keyboard.press("End")
    expect(page.get_by_test_id("tail-status")).to_have_text("Paused")
    send(stack, f"{word} while reading")
    expect(pause).to_have_text("Show 1 new")
    pause.click()
    expect(rows.first).to_contain_text("while reading")

    rows.first.click()
    expect(page.get_by_test_id("detail-body")).to_have_text(f"{word} while reading")
    page.get_by_test_id("detail-close").click()
    page.get_by_test_id("theme-toggle").click()

    page.get_by_test_id("query-input").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("other")
    with page.expect_event("requestfailed", lambda request: "/logs/tail" in request.url):
        page.get_by_test_id("run").click()
    expect(page).to_have_url(re.compile("query=other.*tail=1"))
    expect(toggle).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_test_id("tail-status")).to_have_text("Live")
    toggle.click()
    expect(toggle).to_have_attribute("aria-pressed", "false")


def test_a_refusal_says_why(stack: Stack, page: Page) -> None:
    problem = {"type": "about:blank", "title": "", "status": 400, "code": "invalid_query", "detail": "no such thing"}
    page.route("**/logs/tail?*", lambda route: route.fulfill(status=400, json=problem))
    page.goto(f"{stack.ui_url}?from=now-1h&to=now")
    page.get_by_test_id("tail-toggle").click()
    expect(page.get_by_test_id("tail").get_by_test_id("error")).to_contain_text("No such thing.")


def send(stack: Stack, *bodies: str) -> None:
    answer = otlp.send(stack.otlp_http_url, stack.keys.ingest_key, otlp.request(*map(otlp.record, bodies)))
    assert answer.status_code == 200
