"""Tests of numbers over logs over REST and at the terminal: tables, series, refusals, limits and hostile values."""

import csv
import io
import time

import pytest

from tests import otlp
from tests.api_client import Api, Json
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

BUCKET_NS = 60 * 10**9
START_NS = time.time_ns() // BUCKET_NS * BUCKET_NS - 3600 * 10**9
"""Start of the records and of the first bucket, in nanoseconds since the Unix epoch."""
SECONDS = 120
"""Number of records, one in each second; `ms` of a record is its second."""
ROUTES = ("/cart", "/pay", "/pay", "=cmd()", "it's\n")


def route_of(second: int) -> str:
    return ROUTES[second % len(ROUTES)]


@pytest.fixture(scope="module")
def keys(stack: Stack) -> TenantKeys:
    keys = new_tenant(stack, "stats")
    records = [
        {
            **otlp.record("counted error" if second % 4 == 0 else "counted", START_NS + second * 10**9),
            "attributes": [
                {"key": "route", "value": {"stringValue": route_of(second)}},
                {"key": "ms", "value": {"intValue": str(second)}},
            ],
        }
        for second in range(SECONDS)
    ]
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(SECONDS, START_NS, START_NS + SECONDS * 10**9)
    return keys


def requested(query: str) -> Json:
    return {"query": query, "start": START_NS, "end": START_NS + SECONDS * 10**9}


def test_a_table_has_the_limit_of_groups_and_all_others_together(stack: Stack, keys: TenantKeys) -> None:
    text = "counted | stats count(), sum(ms), count_if(error), rate() by route | limit 1"
    with Api(stack.api_url, keys.query) as api:
        answer = api.ok("/logs/stats", **requested(text))
        assert api.post("/logs/stats", requested(text)).json() | {"cost": None} == answer | {"cost": None}
    pay = [second for second in range(SECONDS) if route_of(second) == "/pay"]
    rest = [second for second in range(SECONDS) if route_of(second) != "/pay"]
    expected = [
        [len(part), sum(part), sum(second % 4 == 0 for second in part), len(part) / SECONDS] for part in (pay, rest)
    ]
    assert answer["rows"] == [["/pay", *expected[0]]]
    assert answer["other"] == expected[1]
    assert answer["groups"] == {"found": 4, "shown": 1, "complete": True}
    assert "3 of 4 groups" in answer["left_out"]
    assert [column["name"] for column in answer["columns"]] == [
        "route",
        "count()",
        "sum(ms)",
        "count_if(error)",
        "rate()",
    ]
    assert [column["unit"] for column in answer["columns"]] == [None, "records", None, "records", "records/s"]
    assert (answer["series"], answer["buckets"], answer["interval_ns"]) == ([], [], None)


def test_groups_are_in_the_order_of_the_first_function(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        by_number = api.ok("/logs/stats", **requested("| stats max(ms), count() by route | limit 1"))
        by_count = api.ok("/logs/stats", **requested("| stats count(), max(ms) by route | limit 1"))
    last = SECONDS - 1
    assert by_number["rows"] == [[route_of(last), last, SECONDS // len(ROUTES)]]
    assert [row[0] for row in by_count["rows"]] == ["/pay"]


def test_series_have_every_bucket_of_the_range(stack: Stack, keys: TenantKeys) -> None:
    text = "error | stats count(), max(ms) by route, time(1m) | sort route asc | limit 2"
    with Api(stack.api_url, keys.query) as api:
        answer = api.ok("/logs/stats", **requested(text))
    errors = [second for second in range(SECONDS) if second % 4 == 0]
    assert [(each["kind"], each["group"]) for each in answer["series"]] == [
        ("group", ["/cart"]),
        ("group", ["/pay"]),
        ("other", []),
    ]
    for series in answer["series"]:
        shown = series["group"] or ["=cmd()", "it's\n"]
        found = [
            [second for second in errors if route_of(second) in shown and second // 60 == place] for place in (0, 1)
        ]
        assert series["values"] == [[len(part) for part in found], [max(part) for part in found]]
    assert (len(answer["buckets"]), answer["interval_ns"], answer["rows"]) == (2, BUCKET_NS, [])


def test_a_search_refuses_stats_and_stats_refuse_a_search(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        for path in ("search", "histogram", "fields", "explain", "export", "tail"):
            refused = api.get(f"/logs/{path}", query="error | stats count()")
            assert (refused.status_code, refused.json()["code"], refused.json()["position"]) == (
                400,
                "invalid_query",
                6,
            )
            assert "/api/v1/logs/stats" in refused.json()["detail"]
        refused = api.get("/logs/stats", query="error")
        assert (refused.status_code, refused.json()["code"], refused.json()["position"]) == (400, "invalid_query", 5)
        assert refused.json()["expected"] == ["| stats count()"]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("| stats count() by time(1ms)", "write a larger width"),
        ("| stats " + ", ".join(f"p50(f{n})" for n in range(16)) + " by ms, time(1s) | limit 1000", "or a smaller"),
    ],
)
def test_too_many_values_are_refused(stack: Stack, keys: TenantKeys, text: str, advice: str) -> None:
    with Api(stack.api_url, keys.query) as api:
        refused = api.post("/logs/stats", requested(text))
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert advice in refused.json()["detail"]


HOSTILE = ("1.7976931348623157e308", "-1.7976931348623157e308", "5e-324", "1e-300", "1e300", "nan", "inf", "1e999", "")


def test_no_value_of_a_record_makes_a_function_fail(stack: Stack) -> None:
    keys = new_tenant(stack, "extremes")
    attributes = [[{"key": "x", "value": {"stringValue": value}}] for value in HOSTILE]
    records = [otlp.record("extreme", START_NS, attributes=each) for each in attributes]
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    functions = ", ".join(f"{name}(x)" for name in ("sum", "avg", "min", "max", "p50", "p90", "p95", "p99", "uniq"))
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(len(HOSTILE), START_NS, START_NS + 10**9)
        for by in ("", " by x", " by time(1m)", " by x, time(1m) | limit 1"):
            answer = api.post("/logs/stats", requested(f"| stats {functions}{by}"))
            assert answer.status_code == 200, answer.text
        [row] = api.ok("/logs/stats", **requested("| stats min(x), max(x), p50(x), uniq(x)"))["rows"]
    assert row == [-1.7976931348623157e308, 1.7976931348623157e308, 0.0, len(HOSTILE)]


def at_the_terminal(stack: Stack, keys: TenantKeys, *arguments: str) -> str:
    since = ("--since", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START_NS / 1e9)))
    done = stack.logsieve("logs", "stats", *arguments, *since, "--key", keys.query)
    assert done.returncode == 0, done.stderr
    printed: str = done.stdout
    return printed


def test_the_command_prints_a_table_bars_and_csv(stack: Stack, keys: TenantKeys) -> None:
    text = "| stats count(), max(ms) by route"
    table = at_the_terminal(stack, keys, text).splitlines()
    assert table[0].split() == ["route", "count()", "max(ms)"]
    assert table[1].split() == ["/pay", "48", "117"]
    bars = at_the_terminal(stack, keys, text, "--chart").splitlines()
    assert bars[0].split() == ["/pay", "█" * 40, "48"]
    assert bars[1].count("█") == 20
    rows = list(csv.reader(io.StringIO(at_the_terminal(stack, keys, text, "--csv"))))
    assert rows[:2] == [["kind", "route", "count()", "max(ms)"], ["group", "/pay", "48", "117.0"]]
    assert ["group", "'=cmd()", "24", "118.0"] in rows
