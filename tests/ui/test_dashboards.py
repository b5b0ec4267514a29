"""Tests that dashboards are created, that keyboard and pointer arrange their panels, and that all panels show the same
range."""

import re
import time

from playwright.sync_api import Browser, Locator, Page, expect

from tests import otlp
from tests.api_client import Api, Json
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant
from tests.ui.axe import violations
from tests.ui.conftest import on_a_thread, signed_in

HOUR_NS = 3_600 * 10**9
RECENT = 5
"""Number of failures in the last minutes, all of service pay."""
EARLIER = 3
"""Number of failures two hours ago, all of service web."""


def test_charts_are_added_to_a_new_and_a_stored_dashboard_from_the_search(stack: Stack, browser: Browser) -> None:
    keys = on_a_thread(new_tenant, stack, "added")
    search = "?query=failed&stats=count()&mode=chart&from=now-6h&to=now"
    page = opened(stack, browser, keys, search)
    page.get_by_test_id("chart").get_by_test_id("add-to-dashboard").click()
    page.get_by_test_id("dashboard-submit").click()
    expect(page.get_by_test_id("panel-added")).to_have_text("Added to Dashboard.")
    page.keyboard.press("Escape")
    page.get_by_test_id("histogram").get_by_test_id("add-to-dashboard").click()
    page.get_by_test_id("dashboard-choice").click()
    page.get_by_test_id("panel-added").get_by_role("link", name="Dashboard").click()
    expect(page.get_by_test_id("panel")).to_have_count(2)
    for name in ("count(): failed", "count() by severity, time(5m): failed"):
        expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    expect(page.get_by_test_id("chart-number").first).to_have_text("0")


def test_a_dashboard_is_made_and_arranged_by_keyboard(stack: Stack, browser: Browser) -> None:
    keys = on_a_thread(new_tenant, stack, "dashboards")
    with Api(stack.api_url, keys.query) as api:
        for name in ("Failures", "By service", "Newest"):
            save(api, name, "failed")
    page = opened(stack, browser, keys, "dashboards")
    expect(page.get_by_text("No dashboards yet")).to_be_visible()
    states = {"no dashboards": violations(page)}
    page.get_by_test_id("dashboard-new").press("Enter")
    page.get_by_test_id("dashboard-name").fill("Shop")
    states["form"] = violations(page)
    page.get_by_test_id("dashboard-submit").press("Enter")
    expect(page.get_by_role("heading", name="Shop")).to_be_visible()
    states["no panels"] = violations(page)

    page.get_by_role("button", name="Add panels").press("Enter")
    for name in ("Failures", "By service", "Newest"):
        page.get_by_test_id("panel-add").press("Enter")
        page.get_by_role("menuitem", name=name).press("Enter")
        expect(panel(page, name)).to_be_visible()
    panel(page, "Newest").get_by_test_id("panel-width").select_option("2")
    before = panel(page, "Newest").get_by_test_id("panel-before")
    before.press("Enter")
    expect(page.get_by_text("Newest: place 2 of 3")).to_be_attached()
    expect(before).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Newest: place 1 of 3")).to_be_attached()
    panel(page, "Failures").get_by_test_id("panel-title").fill("What failed")
    states["edited"] = violations(page)
    page.set_viewport_size({"width": 390, "height": 844})
    states["edited on a phone"] = violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_test_id("dashboard-save").press("Enter")
    expect(page.get_by_test_id("dashboard-save")).to_have_count(0)
    with Api(stack.api_url, keys.query) as api:
        (listed,) = api.ok("/dashboards")["dashboards"]
        stored = api.ok(f"/dashboards/{listed['id']}")
    assert names(stored) == ["Newest", "Failures", "By service"]
    assert [(each["title"], each["width"]) for each in stored["panels"]] == [("", 2), ("What failed", 3), ("", 3)]

    page.get_by_test_id("dashboard-edit").press("Enter")
    page.get_by_test_id("dashboard-delete").press("Enter")
    page.get_by_test_id("dashboard-delete-confirm").press("Enter")
    expect(page.get_by_text("No dashboards yet")).to_be_visible()
    assert states == {state: [] for state in states}


def test_panels_show_their_views_over_one_range(stack: Stack, browser: Browser) -> None:
    keys = on_a_thread(new_tenant, stack, "panels")
    send_failures(stack, keys)
    with Api(stack.api_url, keys.query) as api:
        views = [
            save(api, "Failures", "failed | stats count()", start="now-7d"),
            save(api, "By service", "failed | stats count() by service", chart_kind="table"),
            save(api, "Over time", "| stats count() by service, time(1m)", chart_kind="bars"),
            save(api, "Newest", "failed", columns=[{"field": "service", "width": None}]),
        ]
        made = api.post("/dashboards", {"name": "Shop", "panels": [{"view": view["id"]} for view in views]}).json()
    page = opened(stack, browser, keys, f"dashboards/{made['id']}")
    expect(number(page)).to_have_text(str(RECENT))
    expect(panel(page, "Newest").get_by_test_id("panel-log")).to_have_count(RECENT)
    expect(panel(page, "By service").get_by_test_id("chart-table")).to_contain_text("pay")
    expect(panel(page, "Over time").locator("canvas")).to_be_visible()
    states = {"shown": violations(page)}
    boxes = [page.get_by_test_id(name).bounding_box() for name in ("time-range", "share", "dashboard-edit")]
    assert len({box["height"] for box in boxes if box is not None}) == 1
    log = panel(page, "Newest").get_by_test_id("panel-log").first
    expect(log.get_by_text("failed")).to_be_in_viewport(ratio=1)
    expect(log.get_by_text("pay", exact=True)).to_be_hidden()
    page.get_by_test_id("time-range").click()
    page.get_by_role("button", name="Past 6 hours").click()
    expect(number(page)).to_have_text(str(RECENT + EARLIER))
    expect(panel(page, "Newest").get_by_test_id("panel-log")).to_have_count(RECENT + EARLIER)
    expect(page).to_have_url(re.compile("from=now-6h&to=now"))

    with Api(stack.api_url, keys.query) as api:
        assert api.delete(f"/views/{views[1]['id']}").status_code == 204
    page.reload()
    expect(number(page)).to_have_text(str(RECENT + EARLIER))
    expect(page.get_by_text("The view of this panel was deleted")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(number(page)).to_be_visible()
    states["phone"] = violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_test_id("dashboard-edit").click()
    page.get_by_role("button", name="Remove Deleted view").click()
    page.get_by_test_id("dashboard-keep-range").check()
    page.get_by_test_id("dashboard-save").click()
    expect(page.get_by_test_id("dashboard-save")).to_have_count(0)
    with Api(stack.api_url, keys.query) as api:
        stored = api.ok(f"/dashboards/{made['id']}")
    assert [each["view"] for each in stored["panels"]] == [views[place]["id"] for place in (0, 2, 3)]
    assert (stored["start"], stored["end"], stored["refresh_seconds"]) == ("now-6h", "now", None)
    assert states == {state: [] for state in states}


def test_a_dashboard_refreshes_by_itself_and_fills_the_screen(stack: Stack, browser: Browser) -> None:
    keys = on_a_thread(new_tenant, stack, "dashboards-refresh")
    send_failures(stack, keys)
    with Api(stack.api_url, keys.query) as api:
        view = save(api, "Failures", "failed | stats count()")
        body = {"name": "Shop", "refresh_seconds": 60, "panels": [{"view": view["id"]}]}
        made = api.post("/dashboards", body).json()
    page = opened(stack, browser, keys, f"dashboards/{made['id']}")
    expect(number(page)).to_have_text(str(RECENT))
    expect(page.get_by_test_id("auto-refresh")).to_have_text("1m")
    page.clock.install()
    page.get_by_test_id("auto-refresh").click()
    page.get_by_role("menuitemradio", name="Every 5 minutes").click()
    expect(page).to_have_url(re.compile("from=now-1h&to=now&refresh=5m"))
    send_failures(stack, keys, times=2)
    page.clock.fast_forward("05:01")
    expect(number(page)).to_have_text(str(2 * RECENT))

    page.get_by_test_id("dashboard-full").click()
    expect(page.get_by_test_id("dashboard-edit")).to_have_count(0)
    assert page.evaluate("document.fullscreenElement.contains(document.querySelector('[data-panel]'))")
    assert page.evaluate("!document.fullscreenElement.contains(document.querySelector('nav'))")
    page.get_by_test_id("dashboard-full").click()
    expect(page.get_by_test_id("dashboard-edit")).to_be_visible()


def test_panels_are_dragged_and_lead_to_their_searches(stack: Stack, browser: Browser) -> None:
    keys = on_a_thread(new_tenant, stack, "dashboards-drag")
    send_failures(stack, keys)
    with Api(stack.api_url, keys.query) as api:
        views = [
            save(api, "Failures", "failed | stats count()"),
            save(api, "Top", "failed | stats count() by service"),
            save(api, "Newest", "failed", order="asc"),
        ]
        panels = [{"view": view["id"], "title": f"{view['name']} of the shop"} for view in views]
        made = api.post("/dashboards", {"name": "Shop", "start": "now-6h", "panels": panels}).json()
    page = opened(stack, browser, keys, f"dashboards/{made['id']}")
    expect(number(page)).to_have_text(str(RECENT + EARLIER))
    page.get_by_test_id("dashboard-edit").click()
    drag(page, "Newest", "Failures")
    expect(page.get_by_text("Newest of the shop: place 1 of 3")).to_be_attached()
    drag(page, "Newest", "Top", is_cancelled=True)
    with Api(stack.api_url, keys.query) as api:
        change = {"name": "Renamed", "start": "now-6h", "panels": panels, "revision": 1}
        assert api.put(f"/dashboards/{made['id']}", change).status_code == 200
    page.get_by_test_id("dashboard-save").click()
    expect(page.get_by_role("alert")).to_contain_text("This dashboard was changed meanwhile")
    page.get_by_test_id("dashboard-save").click()
    expect(page.get_by_test_id("dashboard-save")).to_have_count(0)
    with Api(stack.api_url, keys.query) as api:
        stored = api.ok(f"/dashboards/{made['id']}")
    assert names(stored) == ["Newest", "Failures", "Top"]
    assert stored["revision"] == 3

    panel(page, "Top").get_by_test_id("chart-group").filter(has_text="web").click()
    expect(page.get_by_test_id("result-row")).to_have_count(EARLIER)
    expect(page).to_have_url(re.compile("query=failed\\+service:web.*from=now-6h"))
    page.go_back()
    panel(page, "Newest").get_by_test_id("panel-log").first.click()
    expect(page.get_by_test_id("detail-body")).to_contain_text(f"failed {RECENT - 1}")
    page.go_back()
    page.get_by_role("link", name="Failures of the shop").click()
    expect(page.get_by_test_id("chart-number")).to_have_text(str(RECENT + EARLIER))
    expect(page.get_by_test_id("views")).to_have_text("Failureschanged")


def send_failures(stack: Stack, keys: TenantKeys, times: int = 1) -> None:
    """Sends failures of a tenant, and waits until it has them `times` times."""
    now = time.time_ns()
    for service, count, end_ns in (("pay", RECENT, now - 60 * 10**9), ("web", EARLIER, now - 2 * HOUR_NS)):
        records = [otlp.record(f"failed {number}", end_ns + number, severityNumber=17) for number in range(count)]
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records, service=service)).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(times * (RECENT + EARLIER), now - 3 * HOUR_NS, now)


def save(api: Api, name: str, query: str, **members: object) -> Json:
    """Saves a view, and returns it."""
    saved = api.post("/views", {"name": name, "query": query, **members})
    assert saved.status_code == 201, saved.text
    view: Json = saved.json()
    return view


def opened(stack: Stack, browser: Browser, keys: TenantKeys, path: str) -> Page:
    """Returns a page of a browser that is signed in to the tenant."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900},
        reduced_motion="reduce",
        timezone_id="UTC",
        storage_state=signed_in(stack, keys.query),
    )
    page = context.new_page()
    page.goto(f"{stack.ui_url}{path}")
    return page


def panel(page: Page, name: str) -> Locator:
    """Returns the panel with this name in its title."""
    return page.get_by_test_id("panel").filter(has=page.get_by_role("heading", name=name))


def number(page: Page) -> Locator:
    """Returns the single number of panel Failures."""
    return panel(page, "Failures").get_by_test_id("chart-number")


def names(dashboard: Json) -> list[str]:
    """Returns the names of the views of a dashboard's panels, in the panels' order. Deleted views have none."""
    known = {view["id"]: view["name"] for view in dashboard["views"]}
    return [known[each["view"]] for each in dashboard["panels"] if each["view"] in known]


def drag(page: Page, name: str, onto: str, *, is_cancelled: bool = False) -> None:
    """Drags a panel by its handle onto another one, and drops it there or presses Escape."""
    handle = panel(page, name).get_by_title("Drag to move").bounding_box()
    target = panel(page, onto).bounding_box()
    assert handle is not None
    assert target is not None
    page.mouse.move(handle["x"] + 10, handle["y"] + 10)
    page.mouse.down()
    page.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2, steps=4)
    expect(panel(page, onto)).to_have_attribute("data-drop", "true")
    if is_cancelled:
        page.keyboard.press("Escape")
    page.mouse.up()
    expect(panel(page, onto)).to_have_attribute("data-drop", "false")
