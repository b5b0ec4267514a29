"""Tests of the search page on a phone of 390 by 844 pixels, where a pointer cannot hover."""

import pytest
from playwright.sync_api import Browser, Page, expect

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


@pytest.fixture
def phone(stack: Stack, browser: Browser) -> Page:
    """Returns a page of a signed-in phone."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, storage_state=signed_in(stack)
    )
    return context.new_page()


@pytest.mark.usefixtures("samples")
def test_no_button_covers_the_value_of_a_field(stack: Stack, phone: Page) -> None:
    phone.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now")
    phone.get_by_test_id("result-row").first.click()
    expect(phone.get_by_test_id("detail-body")).to_be_visible()
    expect(phone.get_by_test_id("field").first).to_be_visible()
    attribute = phone.get_by_role("tree", name="Attributes").get_by_test_id("field").first
    attribute.tap()
    expect(attribute.get_by_test_id("filter-for")).to_be_visible()
    assert phone.evaluate(COVERED) == 0
    phone.get_by_test_id("detail-close").click()
    expect(phone.get_by_test_id("detail")).to_have_count(0)


@pytest.mark.usefixtures("samples")
def test_all_severities_of_the_chart_are_in_sight(stack: Stack, phone: Page) -> None:
    phone.goto(f"{stack.ui_url}?from=now-7h&to=now")
    keys = phone.get_by_test_id("legend-key")
    expect(keys.nth(3)).to_be_visible()
    for key in keys.all():
        expect(key).to_be_in_viewport(ratio=1)
