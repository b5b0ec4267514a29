"""Tests that the page shows texts as they were logged: no ligatures, visible control characters, exact copies."""

import re
import secrets

import pytest
from playwright.sync_api import Page, expect

from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack

SIGNS = """element => {
  const parts = node => node.nodeType === Node.TEXT_NODE ? node.data
    : node.dataset.sign ?? [...node.childNodes].map(parts).join("");
  return parts(element);
}"""
"""Returns the text that an element draws, with a sign in place of each hidden character."""

SELECTED = """element => {
  const selection = getSelection();
  selection.selectAllChildren(element);
  const text = selection.toString();
  selection.removeAllRanges();
  return text;
}"""

WITH_LIGATURES = """() => [...document.querySelectorAll("body *")]
  .filter(element => element.checkVisibility() && (element.value || [...element.childNodes].some(node =>
    node.nodeType === Node.TEXT_NODE && node.data.trim() !== "")))
  .filter(element => [getComputedStyle(element), getComputedStyle(element, "::before")]
    .some(style => style.fontVariantLigatures !== "none" || /liga|calt|dlig/.test(style.fontFeatureSettings)))
  .map(element => `${element.tagName} ${element.className} ${element.textContent.slice(0, 40)}`)"""


@pytest.fixture
def word(stack: Stack) -> str:
    """Returns a word that is in three records only: with text for ligatures, with hidden characters, with two lines."""
    word = f"shown{secrets.token_hex(4)}"
    hidden = f"{word} \x1b[31mred\x1b[0m user\u202etxt.exe ad\u200bmin \x9b\x07 end"
    attributes = [
        {"key": "op->x", "value": {"stringValue": "a->b != c >= d"}},
        {"key": "evil\u202e", "value": {"stringValue": "x\u202ey\x1b[2J"}},
    ]
    records = [
        otlp.record(f"{word} a->b != c >= d", attributes=attributes),
        otlp.record(hidden),
        otlp.record(f"{word} first\n\tsecond line"),
    ]
    assert otlp.send(stack.otlp_http_url, stack.keys.ingest_key, otlp.request(*records)).status_code == 200
    with Api(stack.api_url, stack.keys.query_key) as api:
        eventually(lambda: len(api.ok("/logs/search", query=word)["logs"]) == len(records), "the records are stored")
    return word


def test_no_ligatures_where_logs_and_queries_are_shown(stack: Stack, word: str, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query={word}+a->b&from=now-1h&to=now")
    page.get_by_test_id("result-row").first.click()
    expect(page.get_by_test_id("detail-body")).to_have_text(f"{word} a->b != c >= d")
    page.locator('[data-testid="facet"][data-field="op->x"]').click()
    expect(page.locator('[data-testid="facet-value"]').first).to_be_visible()
    page.get_by_test_id("query-help").click()
    expect(page.get_by_label("Query syntax").get_by_text("severity:>=").first).to_be_visible()
    assert page.evaluate(WITH_LIGATURES) == []


def test_hidden_characters_are_drawn_as_signs(stack: Stack, word: str, page: Page) -> None:
    drawn = f"{word} \\x1B[31mred\\x1B[0m user\\u202Etxt.exe ad\\u200Bmin \\x9B\\x07 end"
    logged = f"{word} \x1b[31mred\x1b[0m user\u202etxt.exe ad\u200bmin \x9b\x07 end"
    page.goto(f"{stack.ui_url}?query={word}+*min&order=asc&from=now-1h&to=now")
    row = page.get_by_test_id("result-row")
    expect(row).to_have_count(1)
    message = row.get_by_role("gridcell").nth(3)
    assert message.evaluate(SIGNS) == drawn
    assert message.evaluate(SELECTED) == logged
    # The marks are at the right places, although signs are longer than the characters before them.
    assert [mark.inner_text() for mark in message.locator("mark").all()] == [word, "ad\u200bmin"]

    row.click()
    body = page.get_by_test_id("detail-body")
    assert body.evaluate(SIGNS) == drawn
    assert body.evaluate(SELECTED) == logged
    page.get_by_test_id("tab-context").click()
    current = page.locator('[data-testid=context-row][data-current="true"]')
    assert current.evaluate(SIGNS).endswith(drawn)


def test_a_row_of_one_line_is_copied_as_it_was_logged(stack: Stack, word: str, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query={word}+first&from=now-1h&to=now")
    message = page.get_by_test_id("result-row").get_by_role("gridcell").nth(3)
    assert message.evaluate(SIGNS) == f"{word} first ↵ second line"
    assert message.evaluate(SELECTED) == f"{word} first\n\tsecond line"


def test_names_values_and_tooltips_hide_nothing(stack: Stack, word: str, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query={word}+c&from=now-1h&to=now")
    page.get_by_test_id("result-row").click()
    field = page.locator('[data-testid="field"][data-field^="evil"]')
    value = field.get_by_test_id("field-value")
    assert field.get_by_test_id("field-name").evaluate(SIGNS) == "evil\\u202E"
    assert value.evaluate(SIGNS) == "x\\u202Ey\\x1B[2J"
    facet = page.locator('[data-testid="facet"][data-field^="evil"]')
    assert facet.get_attribute("title") == "evil\\u202E: 1 logs"
    facet.click()
    value = page.locator('[data-testid="facet-value"]')
    expect(value).to_have_attribute("title", re.compile(re.escape("x\\u202Ey\\x1B[2J, 1 log.")))
    assert value.evaluate(SIGNS).startswith("x\\u202Ey\\x1B[2J")


def test_the_query_shows_its_hidden_characters(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=user%E2%80%AEtxt&from=now-1h&to=now")
    expect(page.get_by_test_id("query-input")).to_have_text("user\\u202Etxt")
    page.get_by_test_id("run").click()
    expect(page).to_have_url("".join((stack.ui_url, "?query=user%E2%80%AEtxt&from=now-1h&to=now")))
