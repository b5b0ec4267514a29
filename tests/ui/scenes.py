"""Defines the states of the web UI of which pictures are taken, and the steps that lead to each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from backend.times import format_time
from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import TenantKeys
from tests.ui.test_settings import has_storage, has_usage, unlock


@dataclass(frozen=True, slots=True)
class Shop:
    """A tenant with sample logs between `start_ns` and `end_ns`, and a tenant without logs."""

    stack: Stack
    keys: TenantKeys
    without_logs: TenantKeys
    start_ns: int
    end_ns: int

    def search(self, page: Page, query: str, **state: str) -> None:
        """Opens the search page, and waits until it shows rows, the histogram and fields."""
        self.open(page, query=query, **state)
        expect(page.get_by_test_id("result-row").first).to_be_visible()
        expect(page.get_by_test_id("histogram-table").locator("tbody tr").first).to_be_attached()
        expect(page.get_by_test_id("facet").first).to_be_attached()

    def open(self, page: Page, **state: str) -> None:
        """Opens the search page in a state."""
        window = {"from": format_time(self.start_ns), "to": format_time(self.end_ns)}
        page.goto(f"{self.stack.ui_url}?{urlencode({**window, **state})}")

    def settings(self, page: Page, section: str) -> None:
        page.goto(f"{self.stack.ui_url}settings/{section}")
        unlock(page, self.keys.admin)


@dataclass(frozen=True, slots=True)
class Scene:
    """A state of a page. `name` is the name of its picture, `key` the tenant that is signed in."""

    name: str
    open: Callable[[Page, Shop], None]
    key: Literal["nobody", "shop", "without logs"] = "shop"


FAILED: Final = "connection (error OR refused OR reset)"
STEPS: Final = (
    ("checkout", 9, "received with 3 items"),
    ("inventory", 9, "reserved in warehouse berlin-2"),
    ("payments", 13, "authorized at the second attempt"),
    ("payments", 9, "paid with card"),
    ("notifications", 17, "confirmation refused: mailbox is full"),
    ("checkout", 9, "handed over to shipping"),
)
"""The logs of one order in live tail: service, severity number, and the message after the order's number."""


EXAMINED_WITHIN_SECONDS: Final = 90.0
"""Longest time until a loader of a new stack has examined the disks, which it does every minute."""


def sign_in(page: Page, shop: Shop) -> None:
    page.goto(shop.stack.ui_url)
    expect(page.get_by_test_id("sign-in")).to_be_visible()


def get_started(page: Page, shop: Shop) -> None:
    page.goto(shop.stack.ui_url)
    expect(page.get_by_test_id("arrival")).to_have_attribute("data-state", "waiting")
    page.get_by_role("tab", name="Python", exact=True).click()
    expect(page.get_by_test_id("snippet").first).to_be_visible()
    page.evaluate("() => document.activeElement.blur()")


def search(page: Page, shop: Shop) -> None:
    shop.search(page, FAILED)
    # The first search of a new stack is slower, because it opens files. The picture has the time of the second one.
    shop.search(page, FAILED)
    page.locator('[data-testid="facet"][data-field="service"]').click()
    expect(page.get_by_test_id("facet-value").first).to_be_visible()


def histogram_by_field(page: Page, shop: Shop) -> None:
    shop.search(page, "severity:>=warn", by="service")
    page.get_by_test_id("chart-tall").click()
    expect(page.get_by_test_id("legend-key").first).to_be_visible()


def patterns(page: Page, shop: Shop) -> None:
    shop.open(page, mode="patterns")
    expect(page.get_by_test_id("pattern").first).to_be_visible()
    expect(page.get_by_test_id("facet").first).to_be_attached()


def chart(page: Page, shop: Shop) -> None:
    shop.open(page, stats="p95(latency_ms) by service, time(10m) | limit 5", mode="chart", chart="lines")
    expect(page.get_by_test_id("chart-group")).to_have_count(5)
    expect(page.get_by_test_id("facet").first).to_be_attached()


def record(page: Page, shop: Shop) -> None:
    shop.search(page, 'service:checkout "reservation released"')
    page.get_by_test_id("result-row").first.click()
    expect(page.get_by_test_id("detail-body")).to_be_visible()


def context(page: Page, shop: Shop) -> None:
    record(page, shop)
    page.get_by_test_id("tab-context").click()
    expect(page.get_by_test_id("context-row").first).to_be_visible()


def columns(page: Page, shop: Shop) -> None:
    query = "service:(checkout OR payments) severity:>=warn"
    shop.search(page, query, columns="service,error.type,user.id,order.id")
    page.locator('[data-testid="facet"][data-field="service"]').click()
    expect(page.get_by_test_id("facet-clear").first).to_be_visible()


def tail(page: Page, shop: Shop) -> None:
    page.goto(f"{shop.stack.ui_url}?query=order&tail=1")
    expect(page.get_by_test_id("tail-status")).to_have_text("Live")
    for number in range(24):
        service, severity, does = STEPS[number % len(STEPS)]
        record = otlp.record(f"order {4711 + number // len(STEPS)} {does}", severityNumber=severity)
        answer = otlp.send(shop.stack.otlp_http_url, shop.keys.ingest, otlp.request(record, service=service))
        assert answer.status_code == 200
    expect(page.get_by_test_id("result-row")).to_have_count(24)
    # The chart is some seconds behind the rows.
    expect(page.get_by_test_id("legend-key").filter(has_text="error")).to_be_visible()


def explain(page: Page, shop: Shop) -> None:
    shop.search(page, FAILED, explain="1")
    page.get_by_test_id("analyze").click()
    expect(page.get_by_test_id("analyze")).to_have_text("Measure again")


def dashboard(page: Page, shop: Shop) -> None:
    panels = (
        ("Errors", "severity:>=error | stats count(), uniq(user.id)", None, 1),
        ("Latency, 95th percentile", "| stats p95(latency_ms) by service, time(10m) | limit 5", "lines", 2),
        ("Warnings and errors", "severity:>=warn | stats count() by service, time(10m) | limit 5", "bars", 2),
        ("Errors by type", "severity:>=error | stats count() by error.type | limit 8", None, 1),
        ("Newest errors", "severity:>=error", None, 3),
    )
    with Api(shop.stack.api_url, shop.keys.query) as api:
        ids = {view["name"]: view["id"] for view in api.ok("/views")["views"]}
        for name, query, kind, _ in panels:
            if name not in ids:
                view = {"name": name, "query": query, "chart_kind": kind, "columns": [{"field": "service"}]}
                ids[name] = api.post("/views", view).json()["id"]
        shown = [{"view": ids[name], "width": width} for name, _, _, width in panels]
        listed = api.ok("/dashboards")["dashboards"]
        made = listed[0] if listed else api.post("/dashboards", {"name": "Payments", "panels": shown}).json()
    window = {"from": format_time(shop.start_ns), "to": format_time(shop.end_ns)}
    page.goto(f"{shop.stack.ui_url}dashboards/{made['id']}?{urlencode(window)}")
    expect(page.get_by_test_id("chart-number")).to_have_count(2)
    expect(page.locator(".u-over")).to_have_count(2)
    expect(page.get_by_role("progressbar")).to_have_count(0)


def alert(page: Page, shop: Shop) -> None:
    condition = {"column": "count()", "comparison": ">", "threshold": 3}
    rule = {"name": "Errors of a service", "query": "severity:>=error | stats count() by service"}
    with Api(shop.stack.api_url, shop.keys.query) as api:
        listed = api.ok("/alerts")["alerts"]
        made = listed[0] if listed else api.post("/alerts", {**rule, "condition": condition, "for_seconds": 120}).json()
    page.goto(f"{shop.stack.ui_url}alerts/{made['id']}")
    expect(page.get_by_test_id("alert-state")).to_be_visible()
    expect(page.get_by_text("No notices.")).to_be_visible()


def settings_keys(page: Page, shop: Shop) -> None:
    shop.settings(page, "keys")
    expect(page.get_by_test_id("key-row").first).to_be_visible()


def settings_limits(page: Page, shop: Shop) -> None:
    shop.settings(page, "limits")
    expect(page.get_by_test_id("limits")).to_contain_text("30")


def settings_attributes(page: Page, shop: Shop) -> None:
    shop.settings(page, "attributes")
    page.get_by_role("button", name="Add recommended rules").click()
    expect(page.get_by_test_id("rule-row").first).to_be_visible()


def settings_storage(page: Page, shop: Shop) -> None:
    shop.settings(page, "storage")
    eventually(lambda: has_storage(page), "a loader has examined the disks", EXAMINED_WITHIN_SECONDS)


def settings_usage(page: Page, shop: Shop) -> None:
    page.goto(f"{shop.stack.ui_url}settings/usage")
    eventually(lambda: has_usage(page), "the usage is counted")


def settings_audit(page: Page, shop: Shop) -> None:
    shop.settings(page, "audit")
    expect(page.get_by_test_id("audit-entry").first).to_be_visible()


SCENES: Final = (
    Scene("sign-in", sign_in, "nobody"),
    Scene("get-started", get_started, "without logs"),
    Scene("search", search),
    Scene("histogram-by-field", histogram_by_field),
    Scene("patterns", patterns),
    Scene("chart", chart),
    Scene("record", record),
    Scene("context", context),
    Scene("columns", columns),
    Scene("tail", tail),
    Scene("explain", explain),
    Scene("dashboard", dashboard),
    Scene("alert", alert),
    Scene("settings-keys", settings_keys),
    Scene("settings-limits", settings_limits),
    Scene("settings-attributes", settings_attributes),
    Scene("settings-storage", settings_storage),
    Scene("settings-usage", settings_usage),
    Scene("settings-audit", settings_audit),
)
"""All scenes, in the order in which a new user would see them."""
DARK: Final = "search"
"""Name of the scene that has a second picture, in the dark theme."""
