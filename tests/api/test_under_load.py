"""Tests that neither searches nor exports of logs fail while both run at the same time."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests import otlp
from tests.api_client import Api
from tests.chance import repetitions
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

SEARCHERS = 32
RECORDS_PER_SECOND = 2_000
SECONDS = repetitions(30)
QUERIES = ("", "order", "order shipped", "number:>=5", "severity:>=error", '"order shipped" -lost', "*hipp*", "nowhere")


@pytest.fixture(scope="module")
def keys(stack: Stack) -> TenantKeys:
    return new_tenant(stack, "busy")


def test_32_searches_at_once_while_2000_records_arrive_each_second(stack: Stack, keys: TenantKeys) -> None:
    start_ns = time.time_ns()
    stopping = threading.Event()

    def send() -> int:
        """Sends five requests of 400 records per second on a fixed schedule. Returns the number of records."""
        sent = 0
        started = time.monotonic()
        for number in range(SECONDS * 5):
            records = [
                otlp.record(
                    f"order {number}-{index} shipped",
                    severityNumber=9 if index % 10 else 17,
                    attributes=[{"key": "number", "value": {"intValue": str(index % 10)}}],
                )
                for index in range(RECORDS_PER_SECOND // 5)
            ]
            answer = otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records))
            assert answer.status_code == 200, answer.text
            sent += len(records)
            time.sleep(max(0.0, started + (number + 1) / 5 - time.monotonic()))
        return sent

    def search(searcher: int) -> int:
        answered = 0
        with Api(stack.api_url, keys.query) as api:
            while not stopping.is_set():
                query = QUERIES[(searcher + answered) % len(QUERIES)]
                page = api.ok("/logs/search", query=query, start=start_ns, limit=100)
                assert len(page["logs"]) <= 100
                answered += 1
        return answered

    with ThreadPoolExecutor(SEARCHERS + 1) as pool:
        sender = pool.submit(send)
        searchers = [pool.submit(search, searcher) for searcher in range(SEARCHERS)]
        sent = sender.result()
        stopping.set()
        answered = [searcher.result() for searcher in searchers]

    assert all(answered), "every searcher was answered"
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(sent, start_ns, time.time_ns() + 10**9)
