"""Tests of the limits of searches: rows, time, the number that run and wait, and cancellation by the client."""

import asyncio
import http.client
import random
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final
from urllib.parse import urlencode, urlsplit

import httpx2
import pytest

from backend.store import execute
from backend.store.execute import Executor
from kit.clickhouse import connect
from kit.errors import QueryTooExpensive
from kit.tls import trusted
from tests import otlp
from tests.api.own_api import own_api
from tests.api_client import Api
from tests.eventually import eventually
from tests.raw_statement import raw_statement
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

SLOW: Final = "/a[ab]{200}c[ab]{40}d/"
"""Regular expression with more states than RE2 caches.

RE2 needs many steps for each byte of a text of the letters a and b. A granule of 512 such texts with 400 bytes takes
some tenths of a second of CPU, and ClickHouse cannot interrupt it. A search of all records takes tens of seconds, so it
still runs when a test has observed what it waits for. No test runs it to its end.
"""
RECORDS: Final = 30_000
BODY: Final = 400
A_AND_B: Final = str.maketrans("01", "ab")
MAX_ROWS: Final = 1_000
MAX_SECONDS: Final = 1.0
"""Time limit of searches of the API `hasty`, in seconds."""

ENDLESS_SECONDS: Final = 600.0
"""Time limit of searches of the API `patient`, in seconds. It is longer than a test."""

PATIENCE: Final = 60.0
LIMITS: Final = {
    "QUERY_MAX_ROWS": str(MAX_ROWS),
    "QUERY_MAX_SECONDS": str(ENDLESS_SECONDS),
    "QUERY_MAX_CONCURRENT_PER_TENANT": "1",
    "QUERY_MAX_WAITING_PER_TENANT": "1",
    "QUERY_MAX_WAIT_SECONDS": str(ENDLESS_SECONDS),
}
CANCELLED: Final = 394
"""Number of ClickHouse's error QUERY_WAS_CANCELLED."""


@dataclass(frozen=True, slots=True)
class Limited:
    """An API that permits a tenant one running and one waiting search, and a tenant with records that search slowly."""

    url: str
    keys: TenantKeys
    start_ns: int
    end_ns: int

    def get(self, path: str, query: str, **parameters: str) -> httpx2.Response:
        return httpx2.get(
            f"{self.url}{path}",
            params={**self._parameters(query), **parameters},
            headers=self._headers(),
            timeout=PATIENCE,
            verify=trusted(),
        )

    @contextmanager
    def unread(self, path: str, query: str) -> Iterator[None]:
        """Sends a request. Closes its connection at the end of the block, without reading the answer."""
        address = urlsplit(self.url)
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=PATIENCE)
        try:
            parameters = urlencode(self._parameters(query))
            connection.request("GET", f"{address.path}{path}?{parameters}", headers=self._headers())
            yield
        finally:
            connection.close()

    def _parameters(self, query: str) -> dict[str, str | int]:
        return {"query": query, "start": self.start_ns, "end": self.end_ns}

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.keys.query}"}


@pytest.fixture(scope="module")
def patient(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limited]:
    """Yields an API that stops no search because of its time."""
    keys = new_tenant(stack, "greedy")
    now = time.time_ns()
    rng = random.Random(1)
    for _ in range(RECORDS // 500):
        records = [otlp.record(f"c {rng.getrandbits(BODY):0{BODY}b} d".translate(A_AND_B), now) for _ in range(500)]
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    start_ns, end_ns = now - 10**9, now + 10**9
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(RECORDS, start_ns, end_ns)
    with own_api(stack, tmp_path_factory.mktemp("patient") / "api.log", **LIMITS) as url:
        yield Limited(url, keys, start_ns, end_ns)


@pytest.fixture(scope="module")
def hasty(stack: Stack, patient: Limited, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limited]:
    """Yields an API over the same records that stops searches after MAX_SECONDS."""
    limits = LIMITS | {"QUERY_MAX_SECONDS": str(MAX_SECONDS)}
    with own_api(stack, tmp_path_factory.mktemp("hasty") / "api.log", **limits) as url:
        yield replace(patient, url=url)


def running(stack: Stack, keys: TenantKeys) -> int:
    """Returns the number of the tenant's statements that ClickHouse runs now."""
    sql = "SELECT count() FROM system.processes WHERE Settings['log_comment'] = {tenant:String}"
    with connect(stack.settings) as client:
        return int(client.query(sql, {"tenant": str(keys.id)}).result_rows[0][0])


def runs_slowly(stack: Stack, keys: TenantKeys) -> bool:
    """Returns whether ClickHouse runs a statement of the tenant that has taken longer than short ones do."""
    sql = "SELECT count() FROM system.processes WHERE Settings['log_comment'] = {tenant:String} AND elapsed > 0.3"
    with connect(stack.settings) as client:
        return int(client.query(sql, {"tenant": str(keys.id)}).result_rows[0][0]) == 1


def last_error(stack: Stack, keys: TenantKeys) -> int:
    """Returns the error code with which the tenant's newest statement ended."""
    sql = (
        "SELECT exception_code FROM system.query_log WHERE type != 'QueryStart'"
        " AND Settings['log_comment'] = {tenant:String} ORDER BY event_time_microseconds DESC LIMIT 1"
    )
    with connect(stack.settings) as client:
        client.command("SYSTEM FLUSH LOGS")
        return int(client.query(sql, {"tenant": str(keys.id)}).result_rows[0][0])


@pytest.mark.parametrize(
    ("path", "query", "parameters"),
    [
        ("/logs/histogram", "c", {}),
        ("/logs/histogram", "c", {"by": "service"}),
        ("/logs/stats", "c | stats count() by service", {}),
    ],
    ids=["histogram", "histogram by a field", "stats"],
)
def test_what_would_read_too_many_rows_is_refused_at_once(
    patient: Limited, path: str, query: str, parameters: dict[str, str]
) -> None:
    refused = patient.get(path, query, **parameters)
    assert refused.status_code == 422, refused.text
    assert refused.json()["code"] == "query_too_expensive"
    assert f"{MAX_ROWS:,} rows" in refused.json()["detail"]
    assert patient.get("/logs/search", "c").status_code == 200, "a page stops early"


def test_one_search_runs_one_waits_for_its_place_and_the_next_is_refused(stack: Stack, patient: Limited) -> None:
    with ThreadPoolExecutor(2) as pool:
        with patient.unread("/logs/search", SLOW):
            eventually(lambda: runs_slowly(stack, patient.keys), "the slow search runs", PATIENCE)
            (first,), (waiting,) = wait(
                {pool.submit(patient.get, "/logs/search", "c") for _ in range(2)}, return_when=FIRST_COMPLETED
            )
            refused = first.result()
            assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited"), refused.text
            assert int(refused.headers["retry-after"]) >= 1
            assert running(stack, patient.keys) == 1, "the slow search still runs"
            assert not waiting.done()
        assert waiting.result().status_code == 200, "the slow search gave its place back"


def test_a_search_ends_at_its_time_limit_and_gives_its_place_back(hasty: Limited) -> None:
    hit = hasty.get("/logs/search", SLOW)
    assert (hit.status_code, hit.json()["code"]) == (422, "query_too_expensive"), hit.text
    assert f"longer than {MAX_SECONDS:g} s" in hit.json()["detail"]
    # On a busy machine, even a fast search may reach this limit.
    eventually(lambda: hasty.get("/logs/search", "c").status_code == 200, "another search is answered", PATIENCE)


def test_an_explanation_that_reads_the_page_ends_at_the_time_limit_too(hasty: Limited) -> None:
    explained = partial(hasty.get, "/logs/explain", SLOW)
    eventually(lambda: explained().status_code == 200, "it is explained without reading the page", PATIENCE)
    refused = explained(analyze="true")
    assert (refused.status_code, refused.json()["code"]) == (422, "query_too_expensive"), refused.text


def test_a_statement_that_reads_too_many_bytes_is_refused(stack: Stack) -> None:
    async def read() -> None:
        executor = Executor(stack.settings.model_copy(update={"query_max_read_bytes": 1_000}))
        try:
            await executor.run(raw_statement("SELECT sum(number) FROM numbers(1000000)"))
        finally:
            await executor.close()

    with pytest.raises(QueryTooExpensive, match="read more than 1,000 bytes"):
        asyncio.run(read())


def test_a_statement_that_overruns_its_time_is_not_called_an_outage(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The executor gives up after half a second, long before ClickHouse's own limit, which has the same error text. In
    # production, it does so when a statement cannot be interrupted and is LATE_SECONDS over its limit.
    monkeypatch.setattr(execute, "LATE_SECONDS", 0.5 - ENDLESS_SECONDS)
    monkeypatch.setattr(execute, "LATE_PROBE_SECONDS", PATIENCE)

    async def overrun() -> None:
        executor = Executor(stack.settings.model_copy(update={"query_max_seconds": ENDLESS_SECONDS}))
        try:
            assert await executor.problem() is None
            await executor.run(raw_statement("SELECT sleep(3)"))
        finally:
            await executor.close()

    with pytest.raises(QueryTooExpensive, match=f"longer than {ENDLESS_SECONDS:g} s"):
        asyncio.run(overrun())


@pytest.mark.parametrize("path", ["/logs/search", "/logs/export"])
def test_a_client_that_disconnects_frees_its_place_and_stops_its_statement(
    stack: Stack, patient: Limited, path: str
) -> None:
    with patient.unread(path, SLOW):
        eventually(lambda: runs_slowly(stack, patient.keys), "the slow search runs", PATIENCE)
    eventually(lambda: running(stack, patient.keys) == 0, "ClickHouse stops", PATIENCE)
    assert last_error(stack, patient.keys) == CANCELLED
    assert patient.get("/logs/search", "c").status_code == 200
