"""Tests of the page that shows all logs of a trace."""

import re
import secrets
import time
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.ui.axe import violations

LOGS: Final = 230
HOURS: Final = 5
"""Hours between the first and the last log of the trace."""


@pytest.fixture(scope="module")
def trace(stack: Stack) -> str:
    """Returns the id of a trace with logs of two services over HOURS hours, which fill more than one page."""
    trace = secrets.token_hex(16)
    end_ns = time.time_ns()
    step_ns = HOURS * 3600 * 10**9 // (LOGS - 1)
    for service, parity in (("web", 0), ("cart", 1)):
        records = [
            otlp.record(f"step {number}", end_ns - (LOGS - 1 - number) * step_ns, traceId=trace, severityNumber=9)
            for number in range(parity, LOGS, 2)
        ]
        answer = otlp.send(stack.otlp_http_url, stack.keys.ingest_key, otlp.request(*records, service=service))
        assert answer.status_code == 200
    untraced = otlp.record(f"without{trace}")
    assert otlp.send(stack.otlp_http_url, stack.keys.ingest_key, otlp.request(untraced)).status_code == 200

    def stored() -> bool:
        with Api(stack.api_url, stack.keys.query_key) as api:
            found = len(api.ok("/logs/search", query=f"trace_id:{trace}", limit=1000)["logs"])
            return found == LOGS and len(api.ok("/logs/search", query=f"without{trace}")["logs"]) == 1

    eventually(stored, "the trace is stored")
    return trace


def test_a_trace_is_shown_whole_in_pages_and_leads_to_its_records(stack: Stack, trace: str, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=trace_id:{trace}&from=now-5m&to=now")
    page.get_by_test_id("result-row").first.click()
    page.get_by_test_id("trace-logs").click()
    expect(page).to_have_url(f"{stack.ui_url.rstrip('/')}/trace/{trace}")
    expect(page).to_have_title(f"Trace {trace} · Logsieve")
    rows = page.get_by_test_id("trace-row")
    expect(rows).to_have_count(200)
    expect(page.get_by_test_id("trace-summary")).to_have_text(re.compile(r"^230 logs in (5\.000 h|4\.999 h), from "))
    expect(rows.first).to_contain_text("step 0")
    page.get_by_test_id("trace-more").click()
    expect(rows).to_have_count(LOGS)
    expect(page.get_by_test_id("trace-more")).to_have_count(0)
    ticks = "rows => rows.map(row => parseFloat(row.querySelector('[style]').style.left))"
    places = rows.evaluate_all(ticks)
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, 100)

    rows.first.focus()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"query=trace_id:{trace}.*order=asc.*record="))
    expect(page.get_by_test_id("detail-body")).to_have_text("step 1")
    page.go_back()
    expect(rows.first).to_be_visible()


def test_the_page_of_a_trace_leads_back_to_its_search(stack: Stack, trace: str, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=step+trace_id:{trace}&from=now-5h&to=now&columns=trace_id")
    page.get_by_test_id("result-row").first.click()
    page.get_by_test_id("trace-logs").click()
    back = page.get_by_test_id("trace-back")
    expect(back).to_be_visible()
    boxes = [each.bounding_box() for each in (back, page.get_by_test_id("trace-summary"))]
    assert len({box["x"] for box in boxes if box is not None}) == 1
    page.reload()
    back.click()
    expect(page).to_have_url(re.compile(f"query=step\\+trace_id:{trace}&from=now-5h&to=now&columns=trace_id&record="))
    expect(page.get_by_test_id("detail-body")).to_be_visible()


def test_a_shared_address_opens_the_trace(stack: Stack, trace: str, page: Page) -> None:
    page.goto(f"{stack.ui_url}trace/{trace}")
    expect(page.get_by_test_id("trace-row")).to_have_count(200)
    expect(page.get_by_test_id("trace-back")).to_have_count(0)
    page.get_by_test_id("trace-search").click()
    expect(page.get_by_test_id("histogram-total")).to_contain_text("230")


def test_a_record_without_a_trace_has_no_button(stack: Stack, trace: str, page: Page) -> None:
    page.goto(f"{stack.ui_url}?query=without{trace}&from=now-1h&to=now")
    page.get_by_test_id("result-row").click()
    expect(page.get_by_test_id("detail-body")).to_be_visible()
    expect(page.get_by_test_id("trace-logs")).to_have_count(0)


def test_an_unknown_or_wrong_trace_id_says_so(stack: Stack, page: Page) -> None:
    page.goto(f"{stack.ui_url}trace/{secrets.token_hex(16)}")
    expect(page.get_by_text("No log has this trace id.")).to_be_visible()
    page.goto(f"{stack.ui_url}trace/xyz")
    expect(page.get_by_test_id("error")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1440])
def test_the_page_has_no_violations(stack: Stack, trace: str, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{stack.ui_url}trace/{trace}")
    expect(page.get_by_test_id("trace-row")).to_have_count(200)
    expect(page.get_by_test_id("trace-summary")).to_be_visible()
    assert violations(page) == []
