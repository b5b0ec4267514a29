"""Tests that a run requests the search first, then the histogram and the fields, and each of them once."""

import re

import pytest
from playwright.sync_api import Page, Request, expect

from tests.running_stack import Stack
from tests.ui.test_journey import total, write

STEPS = """() => performance.getEntriesByType("mark").map(({ name }) => name)"""


@pytest.mark.usefixtures("samples")
def test_the_search_goes_first_and_counts_follow(stack: Stack, page: Page) -> None:
    with page.expect_response(re.compile("/logs/fields")):
        page.goto(f"{stack.ui_url}?from=now-7h&to=now")
        total(page)
    page.evaluate("() => performance.clearMarks()")
    requested: list[str] = []

    def note(request: Request) -> None:
        found = re.search(r"/logs/(\w+)\?", request.url)
        requested.extend(found.groups() if found is not None else ())

    page.on("request", note)
    write(page, "payment")
    # Requests for suggestions while the text is typed do not belong to the run.
    requested.clear()
    with page.expect_response(re.compile("/logs/fields")), page.expect_response(re.compile("/logs/histogram")):
        # The key goes to the query although Escape without suggestions may have moved the focus.
        page.get_by_test_id("query-input").press("Enter")
    expect(page.get_by_test_id("result-row").first).to_contain_text(re.compile("payment", re.IGNORECASE))
    assert requested[0] == "search"
    assert sorted(requested) == ["fields", "histogram", "search"]
    steps = page.evaluate(STEPS)
    assert steps[:2] == ["logsieve:enter", "logsieve:search"]
    assert sorted(steps[2:]) == ["logsieve:counts", "logsieve:rows"]
