"""Tests that an explanation with `analyze` runs a search's page, within a search's limits, and reports its cost."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from kit.clickhouse import connect
from tests import otlp
from tests.api_client import Api, Json
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

RECORDS: Final = 300
NUMBERS: Final = ("cpu_ms", "marks_total", "marks_read", "files_opened")
PLANS: Final = ("auto", "in_order", "two_phase", "windowed")


@pytest.fixture(scope="module")
def start_ns() -> int:
    return time.time_ns() // 10**9 * 10**9 - 600 * 10**9


@pytest.fixture(scope="module")
def keys(stack: Stack, start_ns: int) -> TenantKeys:
    keys = new_tenant(stack, "analyzed")
    records = [otlp.record(f"payment {number} declined", start_ns + number * 10**9) for number in range(RECORDS)]
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(RECORDS, start_ns, start_ns + RECORDS * 10**9)
    return keys


@pytest.fixture
def api(stack: Stack, keys: TenantKeys) -> Iterator[Api]:
    with Api(stack.api_url, keys.query) as api:
        yield api


def analysis(api: Api, start_ns: int, **requested: str | int) -> Json:
    requested = {"start": start_ns, "end": start_ns + RECORDS * 10**9, "analyze": "true", **requested}
    found: Json = api.ok("/logs/explain", **requested)["analysis"]
    return found


@pytest.fixture(scope="module")
def analyses(stack: Stack, keys: TenantKeys, start_ns: int) -> dict[str, Json]:
    """Returns the analysis of each plan. Requests them all at once, because each waits for ClickHouse's query_log."""

    def analyzed(plan: str) -> Json:
        with Api(stack.api_url, keys.query) as api:
            return analysis(api, start_ns, query="payment", plan=plan, limit=50)

    with ThreadPoolExecutor(len(PLANS)) as pool:
        return dict(zip(PLANS, pool.map(analyzed, PLANS), strict=True))


@pytest.mark.one_server
@pytest.mark.parametrize("plan", PLANS)
def test_every_statement_of_the_page_is_measured(analyses: dict[str, Json], plan: str) -> None:
    found = analyses[plan]

    assert (found["logs"], found["unknown"]) == (50, None)
    reads = [each["reads"] for each in found["statements"]]
    assert reads == (["keys", "rows"] if plan == "two_phase" else ["page"])
    for each in found["statements"]:
        assert each["rows"] == 51
        assert each["rows_read"] >= 51 < each["bytes_read"]
        assert 0 < each["elapsed_ms"] < each["answered_ms"] <= found["elapsed_ms"]
        assert all(each[name] > 0 for name in NUMBERS), each
        assert each["memory_bytes"] >= 0
        assert each["marks_read"] <= each["marks_total"]
        assert each["indexes"][0]["granules_total"] >= each["marks_read"]


def test_a_page_is_not_read_unless_requested(api: Api) -> None:
    assert api.ok("/logs/explain", query="payment")["analysis"] is None
    assert api.ok("/logs/explain", query="payment", analyze="false")["analysis"] is None


@pytest.mark.one_server
def test_it_counts_as_a_search(stack: Stack, keys: TenantKeys, api: Api, start_ns: int) -> None:
    """Tests that its statements run for the tenant as the query user, and that it counts the rows that they read."""
    before = searches(stack, keys)
    rows_read = [each["rows_read"] for each in analysis(api, start_ns, query="declined")["statements"]]

    new = [rows for query_id, rows in searches(stack, keys).items() if query_id not in before]
    assert sorted(rows_read) == sorted(new)
    assert sum(new) > 0


def searches(stack: Stack, keys: TenantKeys) -> dict[str, int]:
    """Returns the rows that each statement over the tenant's logs has read as the query user, by its query id."""
    with connect(stack.settings) as owner:
        owner.command("SYSTEM FLUSH LOGS query_log")
        rows = owner.query(
            "SELECT query_id, read_rows FROM system.query_log WHERE user = 'logsieve_query'"
            " AND type = 'QueryFinish' AND query_kind = 'Select' AND log_comment = {tenant:String}"
            " AND arrayExists(name -> position(name, '.logs_') > 0, tables)",
            {"tenant": str(keys.id)},
        ).result_rows
        return {str(query_id): int(read) for query_id, read in rows}
