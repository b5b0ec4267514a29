"""Tests that a link to a record shows it in the list, even if it is many pages after the first one."""

import time
from datetime import UTC, datetime

from playwright.sync_api import Page, expect

from tests.api_client import Api
from tests.running_stack import Stack
from tests.ui.conftest import SAMPLES


def test_a_linked_record_is_selected_and_in_view(stack: Stack, samples: int, page: Page) -> None:
    assert samples == SAMPLES
    end = datetime.fromtimestamp(time.time(), UTC)
    times = {"start": "2020-01-01T00:00:00Z", "end": end.strftime("%Y-%m-%dT%H:%M:%SZ")}
    with Api(stack.api_url, stack.keys.query_key) as api:
        first = api.ok("/logs/search", query="", limit=900, **times)
        second = api.ok("/logs/search", query="", limit=900, cursor=first["next_cursor"], **times)
    selected = page.locator('[data-testid="result-row"][aria-selected="true"]')
    for log in (first["logs"][150], second["logs"][400]):
        page.goto(f"{stack.ui_url}?from={times['start']}&to={times['end']}&record={log['id']}")
        expect(selected).to_contain_text(log["body"][:20])
        expect(selected).to_be_in_viewport()

    page.get_by_test_id("load-before").click()
    expect(page.get_by_test_id("result-row").first).not_to_have_attribute("aria-selected", "true")
    expect(selected).to_be_in_viewport()
