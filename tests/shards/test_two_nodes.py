"""Tests that searches give the same results on two ClickHouse nodes as on one, and what happens if a node fails."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from clickhouse_connect.driver.exceptions import ClickHouseError

from backend.store.execute import LATE_PROBE_SECONDS, LATE_SECONDS
from kit.clickhouse import connect
from kit.clock import SystemClock
from kit.errors import LogsieveError
from loadtest.topic import wait_until_loaded
from schema.clickhouse.tables import table_name
from tests import otlp
from tests.api.own_api import own_api
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.spread_tenants import on_all_shards
from tests.stored_records import stored_on
from tests.tenants import TenantKeys

REQUESTS = 24
IN_EACH = 5
RECORDS = REQUESTS * IN_EACH
MAX_SECONDS = 5
"""Time limit of searches at `hasty_url`, in seconds."""


def send(stack: Stack, keys: TenantKeys, start_ns: int, first: int, step_ns: int = 10**9) -> None:
    """Sends records that are numbered in the order of time. Each request has IN_EACH records of the same timestamp.
    `step_ns` is the time between two requests."""
    for request in range(first, first + REQUESTS):
        records = [
            otlp.record(f"number {request * IN_EACH + each}", start_ns + request * step_ns) for each in range(IN_EACH)
        ]
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200


def arrives_on(stack: Stack, keys: TenantKeys, lane: int) -> bool:
    """Sends one more record, with the current time. Returns true if the lane has records of the tenant on any shard."""
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(otlp.record("probe"))).status_code == 200
    count = f"SELECT count() FROM {table_name(lane)} WHERE tenant_id = {keys.id}"
    for shard in range(2):
        with connect(stack.settings, shard=shard) as client:
            if int(str(client.command(count))) > 0:
                return True
    return False


@pytest.fixture(scope="module")
def keys(two: Stack, start_ns: int) -> TenantKeys:
    """Returns a tenant with records on both shards. Half of them were sent after it moved to a separate cohort and to
    another lane."""
    keys = on_all_shards(two, "spread")
    send(two, keys, start_ns, 0)
    lane = (keys.lane + 1) % two.settings.lanes
    moved = two.logsieve("tenant", "move", keys.tenant, "--cohort", "own", "--lane", str(lane))
    assert moved.returncode == 0, moved.stderr
    eventually(lambda: arrives_on(two, keys, lane), "the receiver sends to the new lane", 90)
    # Later tests count the stored records, which include those of `arrives_on`.
    wait_until_loaded(two.settings, SystemClock(), 60)
    send(two, keys, start_ns, REQUESTS)
    with Api(two.api_url, keys.query) as api:
        api.wait_for_count(2 * RECORDS, start_ns, start_ns + 300 * 10**9)
    return keys


def test_rows_are_on_both_shards_each_time_in_both_cohorts_and_lanes(two: Stack, keys: TenantKeys) -> None:
    for shard in range(2):
        found: set[tuple[int, str]] = set()
        with connect(two.settings, shard=shard) as client:
            for lane in range(two.settings.lanes):
                rows = client.query(f"SELECT DISTINCT cohort FROM {table_name(lane)} WHERE tenant_id = {keys.id}")
                found |= {(lane, str(cohort)) for (cohort,) in rows.result_rows}
        assert found == {(keys.lane, "r30"), ((keys.lane + 1) % two.settings.lanes, f"t{keys.id}")}


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("limit", [7, 1000])
def test_pages_have_every_record_once_and_in_order(
    two: Stack, keys: TenantKeys, start_ns: int, order: str, limit: int
) -> None:
    with Api(two.api_url, keys.query) as api:
        logs = list(api.pages("number", start_ns, start_ns + 300 * 10**9, order, limit))
    assert len(logs) == len({log["id"] for log in logs}) == 2 * RECORDS
    times = [log["timestamp"] for log in logs]
    assert times == sorted(times, reverse=order == "desc")


def test_one_record_its_context_and_the_histogram(two: Stack, keys: TenantKeys, start_ns: int) -> None:
    with Api(two.api_url, keys.query) as api:
        logs = list(api.pages("", start_ns, start_ns + 300 * 10**9, "asc"))
        for log in logs[:: RECORDS // 3]:
            assert api.record(log["id"]) == log
        middle = logs[RECORDS]
        around = api.ok(f"/logs/{middle['id']}/context", before=10, after=10)
        assert [log["id"] for log in around["before"]] == [log["id"] for log in logs[RECORDS - 10 : RECORDS]]
        assert [log["id"] for log in around["after"]] == [log["id"] for log in logs[RECORDS + 1 : RECORDS + 11]]
        assert api.count("number", start_ns, start_ns + 300 * 10**9) == 2 * RECORDS
        explanation = api.ok("/logs/explain", query="number")
        assert (explanation["shards"], "distributed" in explanation["sql"]) == ([0, 1], False)
        assert explanation["indexes"][0]["parts_total"] >= 2
        window: dict[str, str | int] = {"start": start_ns, "end": start_ns + 300 * 10**9}
        analysis = api.ok("/logs/explain", query="number", analyze="true", limit=20, **window)["analysis"]
        assert (analysis["logs"], analysis["unknown"]) == (20, None)
        assert {each["shard"] for each in analysis["statements"]} == {0, 1}
        assert all(each["marks_read"] >= 1 <= each["cpu_ms"] * 1_000 for each in analysis["statements"])
        assert sum(each["rows"] for each in analysis["statements"]) >= 20


def test_pages_of_equal_timestamps_on_both_shards_are_the_same_when_they_are_read_again(
    two: Stack, start_ns: int
) -> None:
    keys = on_all_shards(two, "spread")
    send(two, keys, start_ns, 0, step_ns=0)
    with Api(two.api_url, keys.query) as api:
        api.wait_for_count(RECORDS, start_ns, start_ns + 10**9)
        assert all(stored_on(two, keys, shard) for shard in range(2))
        for order in ("asc", "desc"):
            window: dict[str, str | int] = {"start": start_ns, "end": start_ns + 10**9, "order": order, "limit": 7}
            cursors, pages = [""], list[list[str]]()
            while len(cursors) > len(pages):
                page = api.ok("/logs/search", **window, **({"cursor": cursors[-1]} if pages else {}))
                pages.append([log["id"] for log in page["logs"]])
                cursors += [page["next_cursor"]] if page["next_cursor"] else []
            found = [each for page in pages for each in page]
            assert (found, len(set(found))) == (sorted(found, reverse=order == "desc"), RECORDS)
            for place in reversed(range(1, len(pages))):
                again = api.ok("/logs/search", **window, cursor=cursors[place])
                assert [log["id"] for log in again["logs"]] == pages[place]


@pytest.fixture(scope="module")
def hasty_url(two: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yields the URL of a REST API whose searches may run for MAX_SECONDS."""
    log = tmp_path_factory.mktemp("hasty") / "api.log"
    with own_api(two, log, QUERY_MAX_SECONDS=str(MAX_SECONDS)) as url:
        yield url


@pytest.mark.parametrize("node", ["clickhouse", "clickhouse-1"])
def test_a_node_that_hangs_fails_searches_in_time_and_holds_nobody_else_up(
    two: Stack, hasty_url: str, keys: TenantKeys, start_ns: int, node: str
) -> None:
    """Tests that while one node hangs, searches fail soon, and the loader still inserts on the other node."""
    shard = ("clickhouse", "clickhouse-1").index(node)
    before = [stored_on(two, keys, each) for each in range(2)]
    pid = two.pid(node)
    os.kill(pid, signal.SIGSTOP)
    try:
        started = time.monotonic()
        with Api(hasty_url, keys.query) as api:
            page = api.get(f"/logs/search?query=number&limit=1000&start={start_ns}&end={start_ns + 300 * 10**9}")
            assert page.status_code in {422, 503}
            assert time.monotonic() - started < MAX_SECONDS + LATE_SECONDS + LATE_PROBE_SECONDS + 5
            # The other shard alone could fill this page.
            small = api.get(f"/logs/search?query=number&limit=1&start={start_ns}&end={start_ns + 300 * 10**9}")
        assert small.status_code in {422, 503}
        for _ in range(REQUESTS):
            late = otlp.request(otlp.record("late", start_ns))
            assert otlp.send(two.otlp_http_url, keys.ingest, late).status_code == 200
        eventually(lambda: stored_on(two, keys, 1 - shard) > before[1 - shard], "the other shard goes on", 20)
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_until_stored(two, keys, sum(before) + REQUESTS)


def wait_until_stored(stack: Stack, keys: TenantKeys, records: int) -> None:
    """Waits until the two shards have exactly this many records in total. Meanwhile, a node may be restarted."""
    deadline, found = time.monotonic() + 60, -1
    while found < records and time.monotonic() < deadline:
        with suppress(LogsieveError, ClickHouseError):
            found = sum(stored_on(stack, keys, shard) for shard in range(2))
        time.sleep(0.2)
    assert found == records


def test_while_a_shard_is_unreachable_no_page_lacks_rows(two: Stack, keys: TenantKeys, start_ns: int) -> None:
    """Tests that after a node is killed, searches answer 503 until it is back, and never miss rows."""
    os.kill(two.pid("clickhouse-1"), signal.SIGKILL)
    answers: set[int] = set()
    deadline = time.monotonic() + 60
    with Api(two.api_url, keys.query) as api:
        while answers != {200, 503} and time.monotonic() < deadline:
            page = api.get(f"/logs/search?query=number&limit=1000&start={start_ns}&end={start_ns + 300 * 10**9}")
            answers.add(page.status_code)
            if page.status_code == 200:
                assert len(page.json()["logs"]) == 2 * RECORDS
            time.sleep(0.05)  # Without a pause, the requests take the time in which the node starts.
    assert answers == {200, 503}


def test_both_shards_are_as_the_code_says(two: Stack) -> None:
    """Tests that `migrate --check` finds no drift of the schema on either shard."""
    assert two.logsieve("migrate", "--check").returncode == 0


def test_operators_see_both_shards(two: Stack) -> None:
    shown = json.loads(two.logsieve("index", "show", "--json").stdout)
    assert {(size["shard"], size["table"]) for size in shown} == {
        (shard, table_name(lane)) for shard in range(2) for lane in range(two.settings.lanes)
    }
    found = {finding["about"] for finding in json.loads(two.logsieve("doctor", "--json").stdout)}
    lanes = {f"parts of {table_name(lane)} of shard 1" for lane in range(two.settings.lanes)}
    assert {"clickhouse of shard 0", "clickhouse of shard 1", "retention", *lanes} <= found
