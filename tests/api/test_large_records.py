"""Tests of records that are so large that a page of them exceeds the limit of ClickHouse's answers."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import httpx2
import pytest

from tests import otlp
from tests.api.own_api import own_api
from tests.api_client import Api
from tests.running_stack import Stack
from tests.tenants import new_tenant

RECORDS: Final = 60
ATTRIBUTES: Final = 16
VALUE: Final = 4_000
MAX_BYTES: Final = 2**20
"""Largest answer of ClickHouse in bytes, which has room for sixteen of the records."""


@dataclass(frozen=True, slots=True)
class Large:
    """An API that permits only small answers of ClickHouse, and a tenant with large records of one timestamp."""

    url: str
    key: str
    start_ns: int
    end_ns: int

    def get(self, path: str, **parameters: str | int) -> httpx2.Response:
        with Api(self.url, self.key) as api:
            return api.get(path, start=self.start_ns, end=self.end_ns, **parameters)


@pytest.fixture(scope="module")
def large(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Large]:
    keys, now = new_tenant(stack, "large"), time.time_ns()
    for first in range(0, RECORDS, 20):
        records = [
            otlp.record(
                f"number {number}",
                now,
                attributes=[
                    {"key": f"a{each}", "value": {"stringValue": f"{number}-{each} ".ljust(VALUE, "x")}}
                    for each in range(ATTRIBUTES)
                ],
            )
            for number in range(first, first + 20)
        ]
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    start_ns, end_ns = now - 10**9, now + 10**9
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(RECORDS, start_ns, end_ns)
    log = tmp_path_factory.mktemp("large") / "api.log"
    with own_api(stack, log, QUERY_MAX_RESULT_BYTES=str(MAX_BYTES)) as url:
        yield Large(url, keys.query, start_ns, end_ns)


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_an_export_requests_fewer_at_once(large: Large, order: str) -> None:
    """Tests that an export reads smaller pages after an answer was too large, and has each record once."""
    file = large.get("/logs/export", order=order)

    records = [json.loads(line) for line in file.text.splitlines()]
    assert len({record["id"] for record in records}) == len(records) == RECORDS
    assert records == sorted(records, key=lambda record: record["id"], reverse=order == "desc")
    assert all(len(record["attributes"]["a15"]) == VALUE for record in records)


def test_a_page_that_is_too_large_says_what_to_do(large: Large) -> None:
    refused = large.get("/logs/search", limit=1_000)
    assert (refused.status_code, refused.json()["code"]) == (422, "query_too_expensive"), refused.text
    assert (
        refused.json()["detail"]
        == f"the answer is larger than {MAX_BYTES:,} bytes: request fewer records or groups at once"
    )
    page = large.get("/logs/search", limit=10).json()
    assert len(page["logs"]) == 10
    assert page["next_cursor"]


def test_the_neighbours_of_a_record_may_be_large(large: Large) -> None:
    middle = large.get("/logs/search", limit=1).json()["logs"][0]["id"]
    with Api(large.url, large.key) as api:
        context = api.ok(f"/logs/{middle}/context", before=RECORDS, after=0)
    assert len(context["before"]) == RECORDS - 1
