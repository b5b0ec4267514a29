"""Tests of the sizes of rows and panels: compact rows, panels resized by pointer and keys, a narrow list."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.running_stack import Stack


@pytest.mark.usefixtures("samples")
def test_panels_are_resized_by_pointer_and_keys_and_keep_their_width(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now")
    page.get_by_test_id("result-row").first.click()
    detail, facets = page.get_by_test_id("detail"), page.get_by_test_id("facets")
    expect(page.get_by_test_id("detail-body")).to_be_visible()
    before = width(detail)
    edge = page.locator('[data-testid="panel-edge"][data-panel="record"]')
    box = edge.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 200
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 100, y, steps=4)
    page.mouse.up()
    assert width(detail) == pytest.approx(before + 100, abs=2)

    other = page.locator('[data-testid="panel-edge"][data-panel="fields"]')
    narrow = width(facets)
    other.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(other).to_have_attribute("aria-valuenow", str(round(narrow) + 32))
    assert width(facets) == pytest.approx(narrow + 32, abs=1)
    page.reload()
    expect(page.get_by_test_id("detail-body")).to_be_visible()
    assert width(detail) == pytest.approx(before + 100, abs=2)
    assert width(facets) == pytest.approx(narrow + 32, abs=1)
    edge.dblclick()
    expect(edge).to_have_attribute("aria-valuenow", str(round(before)))


@pytest.mark.usefixtures("samples")
def test_compact_rows_are_remembered(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now")
    second = page.get_by_test_id("result-row").nth(1)
    expect(second).to_be_visible()
    assert height(second) == 26
    page.get_by_test_id("density").click()
    expect(page.get_by_test_id("results")).to_have_attribute("data-density", "compact")
    assert height(second) == 20
    page.reload()
    expect(second).to_be_visible()
    assert height(second) == 20
    first = page.get_by_test_id("result-row").first.bounding_box()
    next_ = second.bounding_box()
    assert first is not None
    assert next_ is not None
    assert next_["y"] - first["y"] == 20


@pytest.mark.usefixtures("samples")
@pytest.mark.parametrize("page_width", [1024, 1440])
def test_the_service_stays_visible_beside_an_open_record(stack: Stack, page: Page, page_width: int) -> None:
    page.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now")
    row = page.get_by_test_id("result-row").first
    row.click()
    expect(page.get_by_test_id("detail-body")).to_be_visible()
    # Also while the record is open, a window can be made narrower.
    page.set_viewport_size({"width": page_width, "height": 800})
    service = row.locator('[data-field="service"]')
    expect(service).to_be_in_viewport(ratio=1)
    expect(service).not_to_be_empty()
    assert width(service) >= 60
    expect(row.get_by_role("gridcell").last).to_be_in_viewport(ratio=0.9)
    assert width(row.get_by_role("gridcell").last) >= 120


def width(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["width"]


def height(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["height"]


@pytest.mark.usefixtures("samples")
def test_no_button_over_the_results_is_cut(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    expect(page.get_by_test_id("stats")).to_be_attached()
    bar, last = page.get_by_role("region", name="Results"), page.get_by_test_id("explain-open")
    for size in (390, 1024, 1280, 1440, 1920):
        page.set_viewport_size({"width": size, "height": 900})
        around, button = bar.bounding_box(), last.bounding_box()
        assert around is not None
        assert button is not None
        assert button["x"] + button["width"] <= around["x"] + around["width"], f"at {size} pixels"
