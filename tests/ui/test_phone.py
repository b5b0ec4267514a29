"""Tests of the search page on a phone of 390 by 844 pixels, where a pointer cannot hover."""

import pytest
from playwright.sync_api import Browser, expect

from tests.running_stack import Stack
from tests.ui.conftest import signed_in

COVERED = """() => [...document.querySelectorAll('[data-testid="field"]')].filter((row) => {
  const button = row.querySelector("button");
  if (button === null) return false;
  const [value, buttons] = [row.querySelector("dd, [data-testid=field-value]"), button.parentElement]
    .map((part) => part.getBoundingClientRect());
  return value.right > buttons.left && value.left < buttons.right
    && value.bottom > buttons.top && value.top < buttons.bottom;
}).length"""
"""Returns the number of fields whose buttons overlap the field's value."""


@pytest.mark.usefixtures("samples")
def test_no_button_covers_the_value_of_a_field(stack: Stack, browser: Browser) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, storage_state=signed_in(stack)
    )
    page = context.new_page()
    page.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now")
    page.get_by_test_id("result-row").first.click()
    expect(page.get_by_test_id("detail-body")).to_be_visible()
    expect(page.get_by_test_id("field").first).to_be_visible()
    attribute = page.get_by_role("tree", name="Attributes").get_by_test_id("field").first
    attribute.tap()
    expect(attribute.get_by_test_id("filter-for")).to_be_visible()
    assert page.evaluate(COVERED) == 0
    page.get_by_test_id("detail-close").click()
    expect(page.get_by_test_id("detail")).to_have_count(0)
    context.close()
