"""Tests that the pointer neither moves what is on the page nor hides which button is pressed."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.running_stack import Stack

COLOUR = "element => getComputedStyle(element).backgroundColor"


@pytest.mark.usefixtures("samples")
def test_the_buttons_of_a_field_do_not_move_the_fields_below(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now")
    fields = page.get_by_test_id("facet")
    expect(fields.nth(2)).to_be_visible()
    below = top(fields.nth(2))
    fields.nth(1).hover()
    expect(page.get_by_test_id("facets").get_by_test_id("column-toggle")).to_be_visible()
    assert top(fields.nth(2)) == below


@pytest.mark.usefixtures("samples")
def test_a_pressed_button_keeps_its_colour_under_the_pointer(stack: Stack, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{stack.ui_url}?query=payment&from=now-7h&to=now")
    logs = page.get_by_role("button", name="Logs", exact=True)
    patterns = page.get_by_role("button", name="Patterns", exact=True)
    expect(logs).to_have_attribute("aria-pressed", "true")
    pressed = logs.evaluate(COLOUR)
    logs.hover()
    expect(logs).to_have_css("background-color", pressed)
    patterns.hover()
    expect(patterns).not_to_have_css("background-color", pressed)


def top(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"]
