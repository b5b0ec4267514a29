"""Tests of the limits of searches: rows, time, the number that run and wait, and cancellation by the client."""

import asyncio
import random
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Final

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

SLOW: Final = "/a[ab]{40}c[ab]{40}d/"
"""Regular expression with more states than RE2 caches.

RE2 needs many steps for each byte of a text of the letters a and b. A granule of 512 such texts with 400 bytes takes
0.2 s of CPU, and ClickHouse cannot interrupt it.
"""
RECORDS: Final = 60_000
BODY: Final = 400
A_AND_B: Final = str.maketrans("01", "ab")
MAX_ROWS: Final = 1_000
MAX_SECONDS: Final = 7.0
PATIENCE: Final = 60.0
LIMITS: Final = {
    "QUERY_MAX_ROWS": str(MAX_ROWS),
    "QUERY_MAX_SECONDS": str(MAX_SECONDS),
    "QUERY_MAX_CONCURRENT_PER_TENANT": "1",
    "QUERY_MAX_WAITING_PER_TENANT": "1",
    "QUERY_MAX_WAIT_SECONDS": "30",
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

    def get(self, path: str, query: str, timeout: float = 60) -> httpx2.Response:
        return httpx2.get(
            f"{self.url}{path}",
            params={"query": query, "start": self.start_ns, "end": self.end_ns},
            headers={"Authorization": f"Bearer {self.keys.query}"},
            timeout=timeout,
            verify=trusted(),
        )


@pytest.fixture(scope="module")
def limited(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limited]:
    keys = new_tenant(stack, "greedy")
    now = time.time_ns()
    rng = random.Random(1)
    for _ in range(RECORDS // 500):
        records = [otlp.record(f"c {rng.getrandbits(BODY):0{BODY}b} d".translate(A_AND_B), now) for _ in range(500)]
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    start_ns, end_ns = now - 10**9, now + 10**9
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(RECORDS, start_ns, end_ns)
    with own_api(stack, tmp_path_factory.mktemp("limited") / "api.log", **LIMITS) as url:
        yield Limited(url, keys, start_ns, end_ns)


@pytest.fixture(scope="module")
def patient(stack: Stack, limited: Limited, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limited]:
    """Yields an API with the same limits, except that a search may run longer than the slow one needs."""
    limits = LIMITS | {"QUERY_MAX_SECONDS": "600"}
    with own_api(stack, tmp_path_factory.mktemp("patient") / "api.log", **limits) as url:
        yield replace(limited, url=url)


def running(stack: Stack, keys: TenantKeys) -> int:
    """Returns the number of the tenant's statements that ClickHouse runs now."""
    sql = "SELECT count() FROM system.processes WHERE Settings['log_comment'] = {tenant:String}"
    with connect(stack.settings) as client:
        return int(client.query(sql, {"tenant": str(keys.id)}).result_rows[0][0])


def last_error(stack: Stack, keys: TenantKeys) -> int:
    """Returns the error code with which the tenant's newest statement ended."""
    sql = (
        "SELECT exception_code FROM system.query_log WHERE type != 'QueryStart'"
        " AND Settings['log_comment'] = {tenant:String} ORDER BY event_time_microseconds DESC LIMIT 1"
    )
    with connect(stack.settings) as client:
        client.command("SYSTEM FLUSH LOGS")
        return int(client.query(sql, {"tenant": str(keys.id)}).result_rows[0][0])


def test_what_would_read_too_many_rows_is_refused_at_once(limited: Limited) -> None:
    refused = limited.get("/logs/histogram", "c")
    assert refused.status_code == 422, refused.text
    assert refused.json()["code"] == "query_too_expensive"
    assert f"{MAX_ROWS:,} rows" in refused.json()["detail"]
    assert limited.get("/logs/search", "c").status_code == 200, "a page stops early"


def test_one_search_runs_until_its_limit_one_waits_and_the_next_is_refused(stack: Stack, limited: Limited) -> None:
    with ThreadPoolExecutor(3) as pool:
        slow = pool.submit(limited.get, "/logs/search", SLOW)
        eventually(lambda: running(stack, limited.keys) == 1, "the slow search runs", PATIENCE)
        (first,), (waiting,) = wait(
            {pool.submit(limited.get, "/logs/search", "c") for _ in range(2)}, return_when=FIRST_COMPLETED
        )
        refused = first.result()
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited"), refused.text
        assert int(refused.headers["retry-after"]) >= 1
        assert not slow.done()

    hit = slow.result()
    assert (hit.status_code, hit.json()["code"]) == (422, "query_too_expensive"), hit.text
    assert f"longer than {MAX_SECONDS:g} s" in hit.json()["detail"]
    assert waiting.result().status_code == 200
    assert limited.get("/logs/search", "c").status_code == 200


def test_a_statement_that_overruns_its_time_is_not_called_an_outage(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The executor gives up before ClickHouse's own limit. In production, it does so when a statement cannot be
    # interrupted and is LATE_SECONDS over its limit.
    monkeypatch.setattr(execute, "LATE_SECONDS", -0.5)
    monkeypatch.setattr(execute, "PROBE_SECONDS", PATIENCE)

    async def overrun() -> None:
        executor = Executor(stack.settings.model_copy(update={"query_max_seconds": 1.0}))
        try:
            assert await executor.problem() is None
            await executor.run(raw_statement("SELECT sleep(3)"))
        finally:
            await executor.close()

    with pytest.raises(QueryTooExpensive, match="longer than 1 s"):
        asyncio.run(overrun())


@pytest.mark.parametrize("path", ["/logs/search", "/logs/export"])
def test_a_client_that_disconnects_frees_its_place_and_stops_its_statement(
    stack: Stack, patient: Limited, path: str
) -> None:
    with ThreadPoolExecutor(1) as pool:
        requested = pool.submit(patient.get, path, SLOW, 5.0)
        eventually(lambda: running(stack, patient.keys) == 1, "the slow search runs", PATIENCE)
        with pytest.raises(httpx2.ReadTimeout):
            requested.result()
    eventually(lambda: running(stack, patient.keys) == 0, "ClickHouse stops", PATIENCE)
    assert last_error(stack, patient.keys) == CANCELLED
    assert patient.get("/logs/search", "c").status_code == 200
