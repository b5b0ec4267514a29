"""Tests that pages which are read while records arrive miss no record and repeat none."""

import time
from urllib.parse import urlsplit

from loadtest.paging.arrivals import Arrivals
from loadtest.paging.measure import PagingMeasurement
from loadtest.query_api import QueryApi
from tests.api_client import Api
from tests.running_stack import Stack
from tests.tenants import new_tenant

RECORDS, PAGE_ROWS, ARRIVING_PER_SECOND = 2_000, 100, 500
LENGTH_NS = 1800 * 10**9


def test_no_record_is_missed_or_seen_twice_in_either_direction(stack: Stack) -> None:
    keys, start_ns = new_tenant(stack, "paging"), time.time_ns() - 3600 * 10**9
    receiver = urlsplit(stack.otlp_http_url)
    assert receiver.hostname is not None
    assert receiver.port is not None
    arrivals = Arrivals((receiver.hostname, receiver.port), keys.ingest, start_ns, LENGTH_NS, seed=1)
    arrivals.send(RECORDS)
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(RECORDS, start_ns, start_ns + LENGTH_NS)
    with QueryApi(stack.api_url, keys.query) as api:
        measurement = PagingMeasurement(api, arrivals, (start_ns, start_ns + LENGTH_NS), PAGE_ROWS, print)
        known = measurement.stored()
        passes = [
            # The times of pages are not compared, so that one request of each page to compare is enough.
            measurement.measure(order, known, ARRIVING_PER_SECOND, RECORDS // PAGE_ROWS, repeats=1)
            for order in ("desc", "asc")
        ]

    assert len(known) == RECORDS
    assert arrivals.sent > RECORDS
    assert all(each.exact for each in passes), passes
