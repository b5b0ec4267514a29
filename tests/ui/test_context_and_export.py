"""Tests of a record's context, of the logs of its trace, and of exports."""

import csv
import json
import re
from collections.abc import Mapping

from playwright.sync_api import Page, expect

from tests.api_client import Api
from tests.running_stack import Stack
from tests.ui.conftest import SAMPLES

NEIGHBOURS = 10


def test_what_stands_around_a_record(stack: Stack, samples: int, page: Page) -> None:
    """Tests that a record's context has its neighbours, can be extended, and can be limited to its service."""
    assert samples == SAMPLES
    page.goto(f"{stack.ui_url}?query=payment+failed+trace_id:*&from=now-7h&to=now")
    page.get_by_test_id("result-row").nth(2).click()
    page.get_by_test_id("tab-context").click()
    rows = page.get_by_test_id("context-row")
    expect(rows).to_have_count(2 * NEIGHBOURS + 1)
    expect(rows.nth(NEIGHBOURS)).to_have_attribute("data-current", "true")
    expect(rows.nth(NEIGHBOURS)).to_be_in_viewport()

    page.get_by_test_id("context-earlier").click()
    expect(rows).to_have_count(2 * NEIGHBOURS + 1 + 25)
    expect(rows.nth(NEIGHBOURS + 25)).to_have_attribute("data-current", "true")

    page.locator("[data-choice=service]").click()
    expect(page).to_have_url(re.compile("context=service"))
    expect(rows).to_have_count(2 * NEIGHBOURS + 1)
    with Api(stack.api_url, stack.keys.query_key) as api:
        around = api.ok(f"/logs/{record_in(page)}/context", same="service")
    assert [log["id"] for log in around["before"][-1:]] != []
    assert {log["service"] for log in around["before"] + around["after"]} == {around["log"]["service"]}

    rows.nth(NEIGHBOURS + 1).click()
    expect(page).to_have_url(re.compile(f"record={around['after'][0]['id']}"))
    expect(page.get_by_test_id("detail-body")).to_contain_text(around["after"][0]["body"][:40])


def test_all_logs_of_a_trace(stack: Stack, samples: int, page: Page) -> None:
    assert samples == SAMPLES
    page.goto(f"{stack.ui_url}?query=payment+failed+trace_id:*&from=now-7h&to=now")
    page.get_by_test_id("result-row").first.click()
    record = record_in(page)
    with Api(stack.api_url, stack.keys.query_key) as api:
        trace = api.record(record)["trace_id"]
        logs = api.ok("/logs/search", query=f"trace_id:{trace}", order="asc")["logs"]
    page.get_by_test_id("trace-logs").click()
    expect(page).to_have_url(re.compile(f"/trace/{trace}$"))
    expect(page.get_by_test_id("trace-row")).to_have_count(len(logs))
    place = next(index for index, log in enumerate(logs) if log["id"] == record)
    page.get_by_test_id("trace-row").nth(place).click()

    expect(page).to_have_url(re.compile(f"query=trace_id:{trace}.*order=asc.*record={record}"))
    expect(page.get_by_test_id("result-row")).to_have_count(len(logs))
    expect(page.get_by_test_id("result-row").first).to_contain_text(logs[0]["body"][:40])


def test_an_export_is_saved_as_a_file(stack: Stack, samples: int, page: Page) -> None:
    assert samples == SAMPLES
    with page.expect_response(re.compile("/logs/search")) as searched:
        page.goto(f"{stack.ui_url}?query=payment+failed&from=now-7h&to=now")
    expect(page.get_by_test_id("result-row").first).to_be_visible()
    page.get_by_test_id("export-open").click()
    with page.expect_download() as download:
        page.get_by_test_id("export-ndjson").click()

    assert re.fullmatch(r"logs-\d{8}T\d{6}Z-\d{8}T\d{6}Z\.ndjson", download.value.suggested_filename)
    exported = [json.loads(line) for line in download.value.path().read_text().splitlines()]
    expect(page.get_by_test_id("export-saved")).to_have_text(f"{len(exported):,} logs saved")
    key = {"Authorization": f"Bearer {stack.keys.query_key}"}
    answer: Mapping[str, list[object]] = page.request.get(searched.value.url, headers=key).json()
    assert exported[: len(answer["logs"])] == answer["logs"]
    assert len(exported) >= len(answer["logs"]) > 0


def test_the_shown_columns_are_saved_as_csv(stack: Stack, samples: int, page: Page) -> None:
    assert samples == SAMPLES
    page.goto(f"{stack.ui_url}?query=payment+failed&from=now-7h&to=now&columns=body,user.id,service")
    first = page.get_by_test_id("result-row").first
    expect(first).to_be_visible()
    page.get_by_test_id("export-open").click()
    with page.expect_download() as download:
        page.get_by_test_id("export-shown-columns").click()

    names, *rows = csv.reader(download.value.path().read_text().splitlines())
    expect(page.get_by_test_id("export-saved")).to_have_text(f"{len(rows):,} logs saved")
    assert names == ["timestamp", "severity", "body", "user.id", "service"]
    expect(first.get_by_role("gridcell").last).to_have_text(rows[0][-1])


def test_a_failed_export_says_why_and_saves_nothing(stack: Stack, page: Page) -> None:
    problem = {"type": "about:blank", "title": "", "status": 422, "code": "query_too_expensive", "detail": "narrow it"}
    body = json.dumps({"id": "01"}) + "\n" + json.dumps({"error": problem}, separators=(",", ":")) + "\n"
    page.route("**/logs/export?*", lambda route: route.fulfill(body=body, content_type="application/x-ndjson"))
    page.goto(f"{stack.ui_url}?from=now-1h&to=now")
    page.get_by_test_id("export-open").click()
    page.get_by_test_id("export-ndjson").click()

    expect(page.get_by_test_id("error")).to_contain_text("Narrow it.")


def record_in(page: Page) -> str:
    found = re.search(r"record=([0-9a-f]{48})", page.url)
    assert found is not None, page.url
    return found.group(1)
