"""Tests of the chart of counts: series hidden by the legend, a logarithmic and a taller axis, a click on a bar."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.running_stack import Stack
from tests.ui.test_journey import total


@pytest.mark.usefixtures("samples")
def test_the_legend_hides_a_severity_and_the_look_is_remembered(stack: Stack, page: Page) -> None:
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


def over(page: Page, part: float) -> None:
    """Moves the pointer over the chart, to this part of its width."""
    box = page.get_by_test_id("histogram").locator(".u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"], box["y"])
    page.mouse.move(box["x"] + box["width"] * part, box["y"] + box["height"] / 2)
