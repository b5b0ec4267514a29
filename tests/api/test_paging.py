"""Tests that pages which are read while records arrive miss no record and repeat none."""

import time
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from loadtest.paging.arrivals import Arrivals
from loadtest.paging.measure import PagingMeasurement
from loadtest.query_api import QueryApi
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import new_tenant

RECORDS, PAGE_ROWS, ARRIVING_PER_SECOND = 2_000, 100, 200
LENGTH_NS = 1800 * 10**9
PATIENCE: Final = 60.0
"""Seconds within which a pass must see a record that arrived during it."""


def test_no_record_is_missed_or_seen_twice_in_either_direction(stack: Stack) -> None:
    keys, start_ns = new_tenant(stack, "paging"), time.time_ns() - 3600 * 10**9
    receiver = urlsplit(stack.otlp_http_url)
    assert receiver.hostname is not None
    assert receiver.port is not None
    arrivals = Arrivals((receiver.hostname, receiver.port), keys.ingest, start_ns, LENGTH_NS, seed=1)
    arrivals.send(RECORDS)
    with Api(stack.api_url, keys.query) as api, QueryApi(stack.api_url, keys.query) as pages:
        measurement = PagingMeasurement(pages, arrivals, (start_ns, start_ns + LENGTH_NS), PAGE_ROWS, print)

        def sees_arrivals(order: str) -> bool:
            """Reads all pages while records arrive. Returns whether the pages have some of these records."""
            api.wait_for_count(arrivals.sent, start_ns, start_ns + LENGTH_NS)
            known = measurement.stored()
            assert len(known) == arrivals.sent
            # The times of pages are not compared, so that one request of each page to compare is enough.
            read = measurement.measure(order, known, ARRIVING_PER_SECOND, RECORDS // PAGE_ROWS, repeats=1)
            assert read.exact, read
            return read.seen > len(known)

        for order in ("desc", "asc"):
            # A pass may end before the first of its arriving records is stored on a page that is still to be read.
            eventually(partial(sees_arrivals, order), "a pass sees records that arrive", PATIENCE)
