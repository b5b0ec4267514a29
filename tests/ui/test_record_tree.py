"""Tests of trees that show attributes and JSON messages: folding, keys, exact digits, and actions on values."""

import re
import secrets
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.ui.axe import violations

COPY = "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text } } })"
TAB_STOPS = "tree => [tree, ...tree.querySelectorAll('*')].filter(({ tabIndex }) => tabIndex === 0).length"
USER = '{"id":42,"roles":["admin","café owner"],"site":"https://shop.example/a"}'


@pytest.fixture
def word(stack: Stack) -> str:
    """Returns a word that is in two records only. Their messages are JSON, and only the first has the number 42."""
    word = f"tree{secrets.token_hex(4)}"
    bodies = [
        f'{{"note":"{word}","share":1.0,"big":12345678901234567890,"user":{USER}}}',
        f'{{"note":"{word}","user":{{"id":43}}}}',
    ]
    nested = [{"key": "id", "value": {"intValue": "7"}}, {"key": "plan", "value": {"stringValue": "été gold"}}]
    attributes = [
        {"key": "account", "value": {"kvlistValue": {"values": nested}}},
        {"key": "http.route", "value": {"stringValue": "/cart"}},
    ]
    records: list[dict[str, Any]] = [otlp.record(bodies[0], attributes=attributes), otlp.record(bodies[1])]
    assert otlp.send(stack.otlp_http_url, stack.keys.ingest_key, otlp.request(*records)).status_code == 200
    with Api(stack.api_url, stack.keys.query_key) as api:
        eventually(lambda: len(api.ok("/logs/search", query=word)["logs"]) == 2, "the records are stored")
    return word


def open_tree(stack: Stack, page: Page, word: str, name: str) -> Locator:
    """Opens the record that has attributes, and returns its tree with this name."""
    page.goto(f"{stack.ui_url}?query={word}+account:*&from=now-1h&to=now")
    page.get_by_test_id("result-row").click()
    tree = page.get_by_role("tree", name=name)
    expect(tree).to_be_visible()
    return tree


def value(tree: Locator, path: str) -> Locator:
    return tree.locator(f'[data-field="{path}"]')


def test_json_is_shown_with_its_digits_and_what_was_searched_is_marked(stack: Stack, word: str, page: Page) -> None:
    tree = open_tree(stack, page, word, "Message")
    expect(value(tree, "share").get_by_test_id("field-value")).to_have_text("1.0")
    expect(value(tree, "big").get_by_test_id("field-value")).to_have_text("12345678901234567890")
    expect(value(tree, "user.id").get_by_test_id("field-value")).to_have_text("42")
    expect(value(tree, "note").locator("mark")).to_have_text(word)
    page.get_by_role("button", name="Format JSON").click()
    expect(page.get_by_test_id("detail-body")).to_contain_text('"share":1.0')


def test_a_tree_is_one_tab_stop_and_arrow_keys_move_and_fold(stack: Stack, word: str, page: Page) -> None:
    tree = open_tree(stack, page, word, "Message")
    assert tree.evaluate(TAB_STOPS) == 1
    value(tree, "note").focus()
    page.keyboard.press("ArrowDown")
    expect(value(tree, "share")).to_be_focused()
    page.keyboard.press("End")
    expect(value(tree, "user.site")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(value(tree, "user")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(value(tree, "user")).to_have_attribute("aria-expanded", "false")
    expect(value(tree, "user.id")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(value(tree, "user")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowRight")
    expect(value(tree, "user.id")).to_be_focused()
    assert tree.evaluate(TAB_STOPS) == 1
    page.keyboard.press("Home")
    expect(value(tree, "note")).to_be_focused()
    value(tree, "user").get_by_test_id("field-value").click()
    expect(value(tree, "user")).to_have_attribute("aria-expanded", "false")


def test_a_value_inside_a_message_is_found_by_its_words_from_the_keyboard(stack: Stack, word: str, page: Page) -> None:
    page.add_init_script(COPY)
    tree = open_tree(stack, page, word, "Message")
    value(tree, "user.id").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menu")).to_be_visible()
    page.get_by_test_id("copy-path").click()
    page.wait_for_function("window.copied === 'user.id'")
    expect(value(tree, "user.id")).to_be_focused()
    page.goto(f"{stack.ui_url}?query={word}&from=now-1h&to=now")
    expect(page.get_by_test_id("result-row")).to_have_count(2)
    page.get_by_test_id("result-row").filter(has_text='"id":42').click()
    value(tree, "user.id").focus()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Search for this name and value as words").press("Enter")
    expect(page.get_by_test_id("query-input")).to_have_text(f'{word} "id 42"')
    expect(page.get_by_test_id("result-row")).to_have_count(1)


def test_values_inside_attributes_are_found_and_attributes_are_filtered_and_shown_as_columns(
    stack: Stack, word: str, page: Page
) -> None:
    tree = open_tree(stack, page, word, "Attributes")
    plan = value(tree, "account.plan")
    plan.hover()
    expect(plan.get_by_test_id("filter-for")).to_have_count(0)
    plan.get_by_test_id("find-words").click()
    expect(page.get_by_test_id("query-input")).to_have_text(f'{word} account:* account:~"plan été gold"')
    expect(page.get_by_test_id("result-row")).to_have_count(1)
    route = value(tree, "http.route")
    route.hover()
    route.get_by_test_id("column-toggle").click()
    expect(page).to_have_url(re.compile("columns=service,http.route"))
    route.get_by_test_id("filter-out").click()
    expect(page.get_by_test_id("empty")).to_be_visible()


def test_trees_and_their_menu_have_no_violations(stack: Stack, word: str, page: Page) -> None:
    tree = open_tree(stack, page, word, "Message")
    expect(page.get_by_role("tree", name="Attributes")).to_be_visible()
    value(tree, "user").focus()
    states = {"trees": violations(page)}
    page.keyboard.press("Enter")
    expect(page.get_by_role("menu")).to_be_visible()
    states["menu"] = violations(page)
    assert states == {state: [] for state in states}
