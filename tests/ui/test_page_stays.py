"""Tests that the document as a whole never scrolls, so that the header stays in view."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.running_stack import Stack

WIDTHS = (390, 1024, 1440, 2560)

SCROLL_EVERYWHERE = """() => {
  for (const element of document.querySelectorAll("body *")) {
    element.scrollIntoView({ block: "center", inline: "center" });
    if (element instanceof HTMLElement) {
      const had = element.getAttribute("tabindex");
      element.tabIndex = -1;
      element.focus();
      if (had === null) element.removeAttribute("tabindex"); else element.setAttribute("tabindex", had);
    }
  }
  window.scrollTo(9999, 9999);
  document.body.scrollTo(9999, 9999);
}"""
"""Scrolls all elements into view, even hidden ones, like focus(), find-in-page and links to fragments do."""

PLACES = """() => {
  const document_ = document.scrollingElement, header = document.querySelector("header").getBoundingClientRect();
  return [document_.scrollHeight - innerHeight, document_.scrollWidth - innerWidth, scrollX, scrollY,
    document.body.scrollTop, header.left, header.top];
}"""


@pytest.mark.usefixtures("samples")
def test_nothing_scrolls_the_page_out_of_view(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    expect(page.get_by_test_id("histogram-table").locator("tbody tr").nth(20)).to_be_attached()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(SCROLL_EVERYWHERE)
        assert page.evaluate(PLACES) == [0] * 7, width


@pytest.mark.usefixtures("samples")
def test_the_context_of_a_record_leaves_the_header_in_view(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?from=now-7h&to=now")
    expect(page.get_by_test_id("histogram-table").locator("tbody tr").nth(20)).to_be_attached()
    page.get_by_test_id("result-row").nth(2).click()
    expect(page).to_have_url(re.compile("record="))
    page.get_by_test_id("tab-context").click()
    expect(page.locator('[data-testid=context-row][data-current="true"]')).to_be_in_viewport()
    assert page.evaluate(PLACES) == [0] * 7
    page.evaluate(SCROLL_EVERYWHERE)
    assert page.evaluate(PLACES) == [0] * 7
