"""Tests of numbers over logs in the web UI: charts follow the query, a click shows the logs of a group, and exported
files have the numbers."""

import re
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.api_client import Api
from tests.running_stack import Stack
from tests.ui.axe import violations


@pytest.mark.usefixtures("samples")
def test_a_typed_stage_opens_a_chart_whose_groups_lead_to_their_logs(stack: Stack, page: Page) -> None:
    # Without the record of tests/stack/test_terminal.py, whose service has control characters, which the page escapes.
    page.goto(f"{stack.ui_url}?query=-forged&from=now-7h&to=now")
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    page.get_by_test_id("query-input").fill("-forged | stats count() by service")
    page.keyboard.press("Enter")
    chart = page.get_by_test_id("chart")
    groups = chart.get_by_test_id("chart-group")
    expect(groups.first).to_be_visible()
    window = parse_qs(urlsplit(last_stats(page)).query)
    with Api(stack.api_url, stack.keys.query_key) as api:
        answer = api.ok("/logs/stats", query=window["query"][0], start=window["start"][0], end=window["end"][0])
    shown = [row.inner_text().split("\n") for row in chart.locator("li").all()]
    assert [(row[0], int(row[-1].replace(",", ""))) for row in shown] == [(row[0], row[1]) for row in answer["rows"]]

    first, count = answer["rows"][0]
    groups.first.click()
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    expect(page).to_have_url(re.compile(f"service:{first}"))
    expect(page.get_by_test_id("histogram-total")).to_have_text(f"{count:,}")
    page.go_back()
    expect(groups.first).to_be_visible()


@pytest.mark.usefixtures("samples")
def test_the_form_writes_the_text_and_a_drag_narrows_the_range(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    page.get_by_role("button", name="Chart", exact=True).click()
    expect(page.get_by_test_id("query-input")).to_have_text("| stats count() by time(5m)")
    page.get_by_test_id("stats-by").fill("service")
    page.get_by_test_id("stats-by").press("Enter")
    expect(page.get_by_test_id("query-input")).to_have_text("| stats count() by service, time(5m) | limit 5")
    chart = page.get_by_test_id("chart")
    expect(chart.get_by_test_id("chart-group")).to_have_count(5)
    expect(chart.get_by_test_id("chart-note")).to_contain_text("groups are not shown")
    chart.get_by_role("button", name="Lines").click()
    expect(page).to_have_url(re.compile("chart=lines"))

    box = chart.locator(".u-over").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.5, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, middle, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile("from=20.*to=20"))
    expect(chart).to_be_visible()


@pytest.mark.usefixtures("samples")
def test_numbers_are_saved_as_files(stack: Stack, page: Page, tmp_path: Path) -> None:
    page.goto(f"{stack.ui_url}?stats=count()+by+time(1h)&mode=chart&from=now-7h&to=now")
    page.get_by_test_id("chart-export").click()
    for name, beginning in (("CSV", b"kind,time,count()\r\n"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=re.compile(name)).click()
        file = tmp_path / name
        download.value.save_as(file)
        assert file.read_bytes().startswith(beginning)
        page.get_by_test_id("chart-export").click()


@pytest.mark.usefixtures("samples")
def test_charts_have_no_violations_and_fit_a_phone(stack: Stack, page: Page) -> None:
    states = {}
    for stats, kind in (
        ("count()+by+service,+time(30m)+|+limit+5", "bars"),
        ("p95(latency_ms)+by+service", "top"),
        ("count(),+avg(latency_ms)+by+service", "table"),
        ("count(),+uniq(user.id)", "number"),
    ):
        page.goto(f"{stack.ui_url}?stats={stats}&mode=chart&chart={kind}&from=now-7h&to=now")
        pressed = page.get_by_test_id("chart-kind").and_(page.locator("[aria-pressed=true]"))
        expect(pressed).to_have_count(1)
        states[kind] = violations(page)
    page.get_by_test_id("chart").get_by_test_id("add-to-dashboard").click()
    expect(page.get_by_test_id("dashboard-submit")).to_be_visible()
    states["add to a dashboard"] = violations(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{stack.ui_url}?stats=count()+by+service,+time(30m)+|+limit+5&mode=chart&from=now-7h&to=now")
    expect(page.get_by_test_id("chart-group").first).to_be_visible()
    states["phone"] = violations(page)
    assert states == {state: [] for state in states}
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.usefixtures("samples")
def test_a_view_with_numbers_opens_as_a_chart(stack: Stack, page: Page) -> None:
    members = {"name": f"numbers {time.time_ns()}", "query": "-debugging | stats count() by service", "start": "now-7h"}
    with Api(stack.api_url, stack.keys.query_key) as api:
        view = api.post("/views", members).json()
    page.goto(f"{stack.ui_url}?view={view['id']}")
    expect(page.get_by_test_id("chart-group").first).to_be_visible()
    expect(page.get_by_test_id("query-input")).to_have_text(members["query"])
    expect(page.get_by_test_id("views")).to_have_text(members["name"])
    page.get_by_role("button", name="Logs", exact=True).click()
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    page.reload()
    expect(page.get_by_test_id("result-row").first).to_be_visible()


def last_stats(page: Page) -> str:
    """Returns the URL of the page's last request for numbers."""
    requested = "performance.getEntriesByType('resource').filter(({name}) => name.includes('/stats')).at(-1).name"
    address: str = page.evaluate(requested)
    return address
