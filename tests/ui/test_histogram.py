"""Tests of the histogram: hidden series, its size and axis, a click on a bar, and bars by the values of a field."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.api_client import Api
from tests.running_stack import Stack
from tests.ui.test_journey import total


@pytest.mark.usefixtures("samples")
def test_the_legend_hides_a_severity_and_the_style_is_remembered(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    everything = total(page)
    info = page.locator('[data-testid="legend-key"][data-severity="info"]')
    expect(info).to_have_attribute("aria-pressed", "true")
    tooltip = page.get_by_test_id("histogram-tooltip")
    over(page, 0.8)
    expect(tooltip).to_contain_text("info")
    info.click()
    expect(info).to_have_attribute("aria-pressed", "false")
    over(page, 0.8)
    expect(tooltip).to_be_visible()
    expect(tooltip).not_to_contain_text("info")
    assert total(page) == everything
    info.click(modifiers=["Alt"])
    expect(page.locator('[data-testid="legend-key"][aria-pressed="true"]')).to_have_count(1)

    canvas = page.get_by_test_id("histogram").locator("canvas")
    before = canvas.bounding_box()
    page.get_by_test_id("chart-tall").click()
    page.get_by_test_id("chart-log").click()
    page.reload()
    expect(page.get_by_test_id("chart-log")).to_have_attribute("aria-pressed", "true")
    expect(canvas).to_be_visible()
    after = canvas.bounding_box()
    assert before is not None
    assert after is not None
    assert after["height"] >= 2 * before["height"]


@pytest.mark.usefixtures("samples")
def test_a_click_on_a_bar_searches_its_time(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    everything = total(page)
    over(page, 0.8)
    counted = re.search(r"([\d,]+) logs?", page.get_by_test_id("histogram-tooltip").inner_text())
    assert counted is not None
    logs = int(counted.group(1).replace(",", ""))
    assert 0 < logs < everything
    with page.expect_response(re.compile("/logs/histogram")):
        page.mouse.down()
        page.mouse.up()
    expect(page).to_have_url(re.compile("from=20.*to=20"))
    expect(page.get_by_test_id("histogram")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_test_id("histogram-total")).to_have_text(f"{logs:,}")


@pytest.mark.usefixtures("samples")
def test_bars_are_stacked_by_a_field_that_the_address_keeps(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=-debugging+service:*&from=now-7h&to=now")
    everything = total(page)
    page.get_by_test_id("chart-by").click()
    page.get_by_role("menuitemradio", name="service", exact=True).click()
    expect(page).to_have_url(re.compile("by=service"))
    legend = page.get_by_label("Values of service in the chart").get_by_test_id("legend-key")
    expect(legend).to_have_count(6)
    assert total(page) == everything
    counts = legend_counts(legend)
    assert sum(counts.values()) == everything
    assert list(counts)[-1] == "other values"
    assert counts == expected_counts(stack, page, list(counts)[:-1], everything)

    page.reload()
    expect(legend).to_have_count(6)
    tooltip = page.get_by_test_id("histogram-tooltip")
    first = next(iter(counts))
    over(page, 0.8)
    expect(tooltip).to_contain_text(first)
    legend.first.click()
    expect(legend.first).to_have_attribute("aria-pressed", "false")
    over(page, 0.8)
    expect(tooltip).to_be_visible()
    expect(tooltip).not_to_contain_text(first)

    page.get_by_test_id("chart-by").click()
    page.get_by_role("menuitemradio", name="severity", exact=True).click()
    expect(page.locator('[data-testid="legend-key"][data-severity="info"]')).to_be_visible()
    expect(page).not_to_have_url(re.compile("by="))
    assert total(page) == everything


@pytest.mark.usefixtures("samples")
def test_a_field_that_cannot_be_counted_leaves_the_choice_of_another(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now&by=trace_id")
    expect(page.get_by_test_id("histogram")).to_contain_text("The values of trace_id cannot be listed or counted")
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    page.get_by_test_id("chart-by").click()
    page.get_by_role("menuitemradio", name="severity", exact=True).click()
    expect(page.locator('[data-testid="legend-key"][data-severity="info"]')).to_be_visible()


def legend_counts(legend: Locator) -> dict[str, int]:
    """Returns the number of logs that the legend shows for each series, by the label."""
    texts = [each.inner_text().rsplit(maxsplit=1) for each in legend.all()]
    return {label: int(count.replace(",", "")) for label, count in texts}


def expected_counts(stack: Stack, page: Page, values: list[str], everything: int) -> dict[str, int]:
    """Returns the number of logs with each value in the chart's range, counted by a separate request per value."""
    window = parse_qs(urlsplit(last_histogram(page)).query)
    start, end = window["start"][0], window["end"][0]
    found = {}
    with Api(stack.api_url, stack.keys.query_key) as api:
        for value in values:
            answer = api.ok("/logs/histogram", query=f"-debugging service:{value}", start=start, end=end)
            found[value] = sum(bucket["total"] for bucket in answer["buckets"])
    return {**found, "other values": everything - sum(found.values())}


def last_histogram(page: Page) -> str:
    """Returns the URL of the page's last request for a histogram."""
    requested = "performance.getEntriesByType('resource').filter(({name}) => name.includes('/histogram')).at(-1).name"
    address: str = page.evaluate(requested)
    return address


def over(page: Page, part: float) -> None:
    """Moves the pointer into the chart. `part` is the place along its width, between 0 and 1."""
    box = page.get_by_test_id("histogram").locator(".u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"], box["y"])
    page.mouse.move(box["x"] + box["width"] * part, box["y"] + box["height"] / 2)
