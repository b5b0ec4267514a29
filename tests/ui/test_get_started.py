"""Tests of the page that shows a tenant how to send its first log. Its snippets run without changes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant
from tests.ui.axe import violations
from tests.ui.conftest import on_a_thread, signed_in

NODE_MODULES: Final = Path(__file__).parents[2] / "frontend/node_modules"
SNIPPET_SECONDS: Final = 60.0

Open = Callable[[TenantKeys], Page]


@pytest.fixture
def open_as(stack: Stack, browser: Browser) -> Open:
    """Returns a function that opens the UI in a new browser context, signed in to a tenant."""

    def opened(keys: TenantKeys) -> Page:
        context = browser.new_context(
            viewport={"width": 1440, "height": 900},
            reduced_motion="reduce",
            permissions=["clipboard-read", "clipboard-write"],
            storage_state=signed_in(stack, keys.query),
        )
        page = context.new_page()
        page.goto(stack.ui_url)
        return page

    return opened


@pytest.mark.parametrize(("name", "service"), [("curl", "curl"), ("Python", "python"), ("Node.js", "node")])
def test_a_snippet_sends_the_first_log_and_the_page_sees_it_arrive(
    stack: Stack, open_as: Open, tmp_path: Path, name: str, service: str
) -> None:
    keys = on_a_thread(new_tenant, stack, "first-log")
    page = open_as(keys)
    arrival = page.get_by_test_id("arrival")
    expect(arrival).to_have_attribute("data-state", "waiting")
    page.get_by_test_id("ingest-key").fill(keys.ingest)
    page.get_by_role("tab", name=name, exact=True).click()

    file = page.get_by_test_id("snippet")
    (tmp_path / file.locator("figcaption").inner_text().strip()).write_text(copied(page, "snippet"))
    sent = run(f"{copied(page, 'environment')}\n{copied(page, 'snippet-run')}", tmp_path)
    assert sent.returncode == 0, sent.stderr
    expect(arrival).to_have_attribute("data-state", "received")
    expect(arrival).to_contain_text("First log received")
    expect(arrival).to_contain_text(f"hello-{service}")

    page.get_by_test_id("arrival-open").click()
    expect(page.get_by_test_id("detail-body")).to_contain_text(f"My first log, sent with {name}")
    expect(page.get_by_test_id("detail")).to_contain_text("order.id")


@pytest.mark.parametrize("name", ["curl", "Python", "Node.js"])
def test_a_snippet_says_that_its_key_is_wrong(stack: Stack, open_as: Open, tmp_path: Path, name: str) -> None:
    keys = on_a_thread(new_tenant, stack, "wrong-key")
    page = open_as(keys)
    page.get_by_test_id("ingest-key").fill(keys.ingest[:-1] + ("0" if keys.ingest[-1] != "0" else "1"))
    page.get_by_role("tab", name=name, exact=True).click()
    file = page.get_by_test_id("snippet")
    (tmp_path / file.locator("figcaption").inner_text().strip()).write_text(copied(page, "snippet"))
    sent = run(f"{copied(page, 'environment')}\n{copied(page, 'snippet-run')}", tmp_path)
    output = sent.stdout + sent.stderr
    assert "401" in output, output
    assert "recursive" not in output, output


def test_it_has_no_violations(stack: Stack, open_as: Open) -> None:
    keys = on_a_thread(new_tenant, stack, "no-log")
    page = open_as(keys)
    expect(page.get_by_test_id("arrival")).to_have_attribute("data-state", "waiting")
    states: dict[str, list[Any]] = {"waiting": violations(page)}
    for tab in ("Python", "Java", "Collector"):
        page.get_by_role("tab", name=tab, exact=True).click()
        expect(page.get_by_test_id("snippet").first).to_be_visible()
        states[tab] = violations(page)
    page.get_by_test_id("ingest-address").fill("no address")
    page.get_by_test_id("ingest-key").fill(keys.query)
    expect(page.get_by_test_id("get-started")).to_contain_text("This is a key of purpose query.")
    states["mistakes"] = violations(page)
    page.set_viewport_size({"width": 390, "height": 844})
    states["phone"] = violations(page)
    assert states == {state: [] for state in states}


def test_it_says_why_a_log_was_refused(stack: Stack, open_as: Open) -> None:
    keys = on_a_thread(new_tenant, stack, "refused-log")
    page = open_as(keys)
    expect(page.get_by_test_id("arrival")).to_have_attribute("data-state", "waiting")
    old = otlp.record("from last year", time.time_ns() - 365 * 86_400 * 10**9)
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(old)).status_code == 200
    expect(page.get_by_test_id("arrival")).to_contain_text("before the tenant's retention", timeout=60_000)
    expect(page.get_by_test_id("arrival")).to_have_attribute("data-state", "waiting")


def test_it_notices_a_log_whose_time_is_before_that_of_the_newest(stack: Stack, open_as: Open) -> None:
    keys = on_a_thread(new_tenant, stack, "older-log")
    send_one(stack, keys)
    page = open_as(keys)
    page.get_by_test_id("navigation").get_by_role("link", name="Get started").click()
    arrival = page.get_by_test_id("arrival")
    expect(arrival).to_have_attribute("data-state", "waiting")
    older = otlp.record("written before", time.time_ns() - 2 * 3600 * 10**9)
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(older)).status_code == 200
    expect(arrival).to_have_attribute("data-state", "received")
    page.get_by_test_id("arrival-open").click()
    expect(page.get_by_test_id("result-row").filter(has_text="written before")).to_be_visible()


def test_the_search_is_the_first_page_of_a_tenant_with_logs(stack: Stack, open_as: Open) -> None:
    keys = on_a_thread(new_tenant, stack, "second-visit")
    page = open_as(keys)
    expect(page.get_by_test_id("get-started")).to_be_visible()
    page.get_by_test_id("navigation").get_by_role("link", name="Search").click()
    expect(page.get_by_test_id("empty")).to_be_visible()
    page.reload()
    expect(page.get_by_test_id("empty")).to_be_visible()

    send_one(stack, keys)
    page.goto(stack.ui_url)
    expect(page.get_by_test_id("result-row").first).to_be_visible()


def copied(page: Page, block: str) -> str:
    """Presses the copy button of a block of code, and returns the text that it puts on the clipboard."""
    page.evaluate("navigator.clipboard.writeText('')")
    page.get_by_test_id(block).get_by_role("button").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()) !== ''")
    return str(page.evaluate("navigator.clipboard.readText()"))


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a shell script in a folder, with the packages that the snippets need."""
    (folder / "node_modules").symlink_to(NODE_MODULES)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {"PATH": path, "HOME": str(folder)}
    return subprocess.run(
        ["sh", "-ec", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SNIPPET_SECONDS,
        check=False,
    )


def send_one(stack: Stack, keys: TenantKeys) -> None:
    """Sends a log with the current time, and waits until a search finds it."""
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(otlp.record("hello"))).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        eventually(lambda: api.ok("/logs/search", limit=1)["logs"] != [], "the log is stored")
