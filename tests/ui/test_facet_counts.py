"""Tests that the list of fields counts no more records than the search finds."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.running_stack import Stack
from tests.ui.test_journey import total

MINUTE_NS = 60 * 10**9
QUARTER_NS = 15 * MINUTE_NS


@pytest.mark.usefixtures("samples")
def test_no_count_of_a_field_is_above_the_number_of_logs(stack: Stack, page: Page) -> None:
    quarter = (time.time_ns() // QUARTER_NS - 4) * QUARTER_NS
    page.goto(f"{stack.ui_url}?from={rfc3339(quarter + 4 * MINUTE_NS)}&to={rfc3339(quarter + 24 * MINUTE_NS)}")
    found = total(page)
    facets = page.get_by_test_id("facet")
    expect(facets.first).to_be_visible()
    counts = [int(re.sub(r"\D", "", title.rpartition(":")[2])) for title in titles(page, "facet")]
    assert 0 < max(counts) <= found
    page.locator('[data-testid="facet"][data-field="service"]').click()
    expect(page.get_by_test_id("facet-value").first).to_be_visible()
    services = [re.search(r", ([\d,]+) logs?\.", title) for title in titles(page, "facet-value")]
    assert sum(int(each.group(1).replace(",", "")) for each in services if each is not None) == found


def rfc3339(time_ns: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time_ns // 10**9))


def titles(page: Page, test_id: str) -> list[str]:
    return [str(each.get_attribute("title")) for each in page.get_by_test_id(test_id).all()]
