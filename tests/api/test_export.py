"""Tests that an export has the records of the search in the same order, takes constant memory, and can be stopped."""

import csv
import io
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import psutil
import pytest

from kit.tls import trusted
from tests import otlp
from tests.api.own_api import own_api_process
from tests.api_client import Api, Json
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

RECORDS = 20_000
LARGE_RECORDS = 10_000
START_NS = time.time_ns() // 10**9 * 10**9 - 3600 * 10**9
END_NS = START_NS + 3600 * 10**9
PART_END_NS = START_NS + 22 * 10**9
"""End of a range with a third of the records."""
BODIES = ("order shipped", "=cmd|calc", 'payment "refused",\r\nagain', "ünï \u2028 字", "-order 7")
QUERIES = ("", "order", "payment OR severity:>=error", "number:7", "trace_id:*", "nowhere")
FORMATS = ("ndjson", "csv")
MEMORY_BYTES = 20 * 2**20


@pytest.fixture(scope="module")
def keys(stack: Stack) -> TenantKeys:
    """Returns the keys of a tenant with RECORDS records, of which three each have the same timestamp."""
    keys = new_tenant(stack, "export")
    for first in range(0, RECORDS, 2_000):
        records = [
            otlp.record(
                BODIES[number % len(BODIES)],
                START_NS + number // 3 * 10**7,
                severityNumber=17 if number % 50 == 0 else 9,
                attributes=[{"key": "number", "value": {"intValue": str(number % 100)}}],
            )
            for number in range(first, first + 2_000)
        ]
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(RECORDS, START_NS, END_NS)
    return keys


def export(stack: Stack, keys: TenantKeys, **parameters: str | int) -> httpx2.Response:
    with Api(stack.api_url, keys.query) as api:
        return api.get("/logs/export", **{"start": START_NS, "end": END_NS, **parameters})


def read_ndjson(text: str) -> list[Json]:
    return [json.loads(line) for line in text.split("\n")[:-1]]


def read_csv(text: str) -> list[Json]:
    """Returns the records of a CSV export in the API's form, read by the rules of docs/export.md."""
    numbers = {"severity_number", "body_truncated_bytes", "flags"}
    records = []
    for row in csv.DictReader(io.StringIO(text, newline="")):
        log: Json = {name: int(cell) if name in numbers else cell.removeprefix("'") for name, cell in row.items()}
        log["attributes"], log["resource"] = json.loads(log["attributes"]), json.loads(log["resource"])
        log["scope"] = {"name": log.pop("scope_name"), "version": log.pop("scope_version")}
        records.append(log)
    return records


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("query", QUERIES)
def test_an_export_is_what_paging_gives(stack: Stack, keys: TenantKeys, query: str, order: str) -> None:
    with Api(stack.api_url, keys.query) as api:
        expected = list(api.pages(query, START_NS, PART_END_NS, order=order))

    exported = {kind: export(stack, keys, query=query, order=order, end=PART_END_NS, format=kind) for kind in FORMATS}
    assert read_ndjson(exported["ndjson"].text) == expected
    assert read_csv(exported["csv"].text) == expected


def test_an_export_is_a_file_with_a_name(stack: Stack, keys: TenantKeys) -> None:
    answer = export(stack, keys, query="nowhere", format="csv", start="2026-01-02T03:04:05Z")
    disposition = answer.headers["content-disposition"]

    assert disposition.startswith('attachment; filename="logs-20260102T030405Z-')
    assert disposition.endswith('Z.csv"')
    assert answer.headers["content-type"].startswith("text/csv")
    assert export(stack, keys, query="nowhere").headers["content-type"].startswith("application/x-ndjson")


@pytest.mark.parametrize(
    "parameters", [{"query": "(error"}, {"format": "xml"}, {"order": "sideways"}, {"start": END_NS, "end": START_NS}]
)
def test_bad_input_is_an_ordinary_error(stack: Stack, keys: TenantKeys, parameters: dict[str, str | int]) -> None:
    refused = export(stack, keys, **parameters)

    assert refused.status_code == 400
    assert refused.headers["content-type"] == "application/problem+json"


def test_another_tenant_exports_none_of_the_records(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, stack.keys.query_key) as theirs:
        answer = theirs.get("/logs/export", query="payment refused", start=START_NS, end=END_NS)

    ours = {log["id"] for log in read_ndjson(export(stack, keys, query="payment refused").text)}
    assert len(ours) == RECORDS // len(BODIES)
    assert not ours & {log["id"] for log in read_ndjson(answer.text)}


def test_an_export_holds_a_page_at_a_time_and_ends_with_its_client(stack: Stack, tmp_path: Path) -> None:
    """Tests that the memory of an API process grows by less than MEMORY_BYTES during an export, and that ClickHouse
    reads no more rows for an export after its client has disconnected.

    The records have 40 MB, far more than the buffers of the connection, so that the server must wait for the client.
    """
    keys = new_tenant(stack, "disconnect")
    for first in range(0, LARGE_RECORDS, 1_000):
        records = [otlp.record("x" * 4_000, START_NS + number * 10**6) for number in range(first, first + 1_000)]
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(LARGE_RECORDS, START_NS, END_NS)

    # The stack's API process may have memory that earlier tests have filled, in which an export finds room.
    with own_api_process(stack, tmp_path / "api.log") as own:
        with exporting(own.url, keys, START_NS + LARGE_RECORDS // 5 * 10**6) as answer:
            answer.read()
        before, largest, whole = resident_bytes(own.pid), 0, 0
        at_first = rows_read(own.root)
        with exporting(own.url, keys) as answer:
            for piece in answer.iter_bytes(256 * 1024):
                whole += len(piece)
                largest = max(largest, resident_bytes(own.pid))
        in_all = rows_read(own.root) - at_first
        assert whole > LARGE_RECORDS * 4_000
        assert largest - before < MEMORY_BYTES

        at_first = rows_read(own.root)
        with exporting(own.url, keys) as answer:
            next(answer.iter_bytes(1024))
        last = -1.0
        while (read := rows_read(own.root) - at_first) != last:
            last = read
            time.sleep(0.5)
        assert 0 < read < in_all / 2


def test_a_revoked_key_ends_its_export(stack: Stack, keys: TenantKeys) -> None:
    key = stack.logsieve("key", "create", keys.tenant, "query").stdout.strip()
    url, headers = f"{stack.api_url}/tenant", {"Authorization": f"Bearer {key}"}
    eventually(
        lambda: httpx2.get(url, headers=headers, timeout=30, verify=trusted()).status_code == 200, "the key is known"
    )
    with exporting(stack.api_url, replace(keys, query=key)) as answer:
        lines = answer.iter_lines()
        next(lines)
        assert stack.logsieve("key", "revoke", key.split("_")[2]).returncode == 0
        eventually(
            lambda: httpx2.get(url, headers=headers, timeout=30, verify=trusted()).status_code == 401,
            "the key is revoked",
        )
        rest = list(lines)

    assert json.loads(rest[-1])["error"]["code"] == "unauthenticated"
    assert len(rest) < RECORDS


def test_the_command_writes_the_same_file(stack: Stack, keys: TenantKeys, tmp_path: Path) -> None:
    file = tmp_path / "payments.csv"
    since, until = (datetime.fromtimestamp(ns // 10**9, UTC).isoformat() for ns in (START_NS, END_NS))
    options = ("--since", since, "--until", until, "--format", "csv", "--key", keys.query)

    saved = stack.logsieve("logs", "export", "payment", *options, "--output", str(file))
    refused = stack.logsieve("logs", "export", "(payment", *options, "--output", str(tmp_path / "none.csv"))

    assert saved.returncode == 0, saved.stderr
    assert file.read_bytes() == export(stack, keys, query="payment", format="csv").content
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "invalid_query" in refused.stderr
    assert not (tmp_path / "none.csv").exists()


@contextmanager
def exporting(api_url: str, keys: TenantKeys, end_ns: int = END_NS) -> Iterator[httpx2.Response]:
    """Yields the answer to an export of all records before `end_ns`, which is read as it arrives."""
    url = f"{api_url}/logs/export?start={START_NS}&end={end_ns}"
    headers = {"Authorization": f"Bearer {keys.query}"}
    with httpx2.stream("GET", url, headers=headers, timeout=60, verify=trusted()) as answer:
        assert answer.status_code == 200
        yield answer


def resident_bytes(pid: int) -> int:
    """Returns the resident bytes of a process."""
    return psutil.Process(pid).memory_info().rss


def rows_read(api_root: str) -> float:
    """Returns the number of rows that ClickHouse has read for the API process since its start."""
    text = httpx2.get(f"{api_root}/metrics", timeout=30, verify=trusted()).text
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith("logsieve_search_rows_read"))
