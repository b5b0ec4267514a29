"""Tests that columns of the list of logs can be resized, are kept in the link, and stay beside an open record."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.running_stack import Stack


@pytest.mark.usefixtures("samples")
def test_a_column_is_dragged_wider_and_the_link_keeps_it(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now&columns=service,user.id~60")
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    head = page.locator('[data-column="user.id"]')
    before = head.bounding_box()
    head.hover()
    edge = head.get_by_test_id("column-edge").bounding_box()
    assert before is not None
    assert edge is not None
    page.mouse.move(edge["x"] + edge["width"] / 2, edge["y"] + edge["height"] / 2)
    page.mouse.down()
    page.mouse.move(edge["x"] + edge["width"] / 2 + 80, edge["y"] + 5, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"columns=service,user\.id~140(&|$)"))
    after = head.bounding_box()
    assert after is not None
    assert after["width"] == pytest.approx(before["width"] + 80, abs=1)
    page.reload()
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    assert head.bounding_box() == after


@pytest.mark.usefixtures("samples")
def test_columns_stay_beside_an_open_record_and_the_list_scrolls_to_the_message(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now&columns=service,user.id,order.id~400")
    page.get_by_test_id("result-row").first.click()
    expect(page.get_by_test_id("detail-body")).to_be_visible()
    expect(page.locator('[data-column="service"]')).to_be_visible()
    row = page.get_by_test_id("result-row").first
    expect(row).to_contain_text("ord-")
    message = row.get_by_role("gridcell").last
    message.scroll_into_view_if_needed()
    expect(message).to_be_in_viewport()
    box = message.bounding_box()
    assert box is not None
    assert box["width"] >= 240


@pytest.mark.usefixtures("samples")
def test_the_message_moves_and_is_dragged_like_other_columns(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now&columns=body~300,service")
    row = page.get_by_test_id("result-row").first
    expect(row).to_be_visible()
    message = page.locator('[data-column="body"]')
    cells = row.get_by_role("gridcell")
    boxes = [message.bounding_box(), cells.nth(2).bounding_box()]
    assert [box and box["width"] for box in boxes] == [300, 300]
    page.get_by_role("button", name="Message column").click()
    page.get_by_role("menuitem", name="Move right").click()
    expect(page).to_have_url(re.compile(r"columns=service,body~300(&|$)"))
    page.get_by_role("button", name="Message column").click()
    page.get_by_role("menuitem", name="Fill the row").click()
    expect(page).not_to_have_url(re.compile("columns="))
    filled = cells.last.bounding_box()
    assert filled is not None
    assert filled["width"] > 300
