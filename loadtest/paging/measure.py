"""Reads all pages in both directions while records arrive, before and behind the current page.

A record that is stored before the first page is read must be on exactly one page. A record that arrives later may be on
one page or none, never on two. The cost of a page must not depend on the number of pages before it.
"""

import statistics
from collections.abc import Set
from functools import partial
from itertools import pairwise
from typing import Final

from kit.errors import Internal
from loadtest.background import Running
from loadtest.bench import Bench, Say
from loadtest.log_store import wait_for_tenant
from loadtest.own_stack import OwnStack
from loadtest.paging.arrivals import Arrivals
from loadtest.paging.study import PagingReport, Pass
from loadtest.query_api import QueryApi

PAGE_ROWS: Final = 100
_BACK_NS: Final = 3600 * 10**9
"""Nanoseconds from the start of the records' time range to the start of the study."""
_LENGTH_NS: Final = 1800 * 10**9
_REPEATS: Final = 41


def measure_paging(bench: Bench, stack: OwnStack, records: int, rate: int) -> PagingReport:
    """Sends `records` records, then reads all pages in both directions while `rate` records per second arrive.

    Raises Unavailable if a request is not acknowledged, or its records are not stored in time.
    """
    start_ns = bench.clock.now_ns() - _BACK_NS
    sender = stack.create_sender("paging")
    arrivals = Arrivals(stack.otlp_http, sender.ingest_key, start_ns, _LENGTH_NS, bench.seed)
    with stack.query_api(sender.tenant) as api:
        bench.say(f"sending {records} records")
        arrivals.send(records)
        wait_for_tenant(stack.settings, sender.lane, sender.tenant_id, records)
        measurement = PagingMeasurement(api, arrivals, (start_ns, start_ns + _LENGTH_NS), PAGE_ROWS, bench.say)
        known = measurement.stored()
        passes = tuple(measurement.measure(order, known, rate, records // PAGE_ROWS) for order in ("desc", "asc"))
    return PagingReport(records=records, stored=len(known), passes=passes)


class PagingMeasurement:
    """Reads pages of one tenant's records in one time range."""

    def __init__(self, api: QueryApi, arrivals: Arrivals, range_ns: tuple[int, int], page_rows: int, say: Say) -> None:
        self._api = api
        self._arrivals = arrivals
        self._parameters: dict[str, str | int] = {"start": range_ns[0], "end": range_ns[1], "limit": page_rows}
        self._say = say

    def stored(self) -> Set[str]:
        """Returns the ids of all stored records. No record may arrive at the same time."""
        return set(self._read("asc")[0])

    def measure(self, order: str, known: Set[str], rate: int, late_page: int, repeats: int = _REPEATS) -> Pass:
        """Reads all pages in one order, then compares the times of the first page and of page number `late_page`.

        During this, `rate` records per second arrive. `known` are the ids of records that were stored before. The two
        pages are requested `repeats` times. Raises Internal if there are fewer than `late_page` pages.
        """
        with Running("arrivals", partial(self._arrivals.keep_sending, rate)):
            ids, cursors = self._read(order)
            if len(cursors) < late_page:
                raise Internal(f"there are only {len(cursors)} pages")
            first, late = self._compare(order, cursors[late_page - 1], repeats)
        rising = ids if order == "asc" else ids[::-1]
        return Pass(
            order=order,
            pages=len(cursors),
            seen=len(ids),
            missing=len(known - set(ids)),
            out_of_order=sum(earlier >= later for earlier, later in pairwise(rising)),
            first_page_ms=first * 1000,
            late_page=late_page,
            late_page_ms=late * 1000,
        )

    def _read(self, order: str) -> tuple[list[str], list[str | None]]:
        """Reads all pages. Returns the ids of their records, and for each page the cursor of its request."""
        ids: list[str] = []
        cursors: list[str | None] = [None]
        while True:
            page = self._api.page({**self._parameters, "order": order}, cursors[-1])
            ids += page.ids
            if page.next_cursor is None:
                return ids, cursors
            cursors.append(page.next_cursor)
            if len(cursors) % 200 == 0:
                self._say(f"{order}: {len(cursors)} pages")

    def _compare(self, order: str, cursor: str | None, repeats: int) -> tuple[float, float]:
        """Returns the median seconds of the first page and of the page at `cursor`, requested alternately."""
        parameters = {**self._parameters, "order": order}
        first, late = [], []
        for _ in range(repeats):
            first.append(self._api.page(parameters, None).seconds)
            late.append(self._api.page(parameters, cursor).seconds)
        return statistics.median(first), statistics.median(late)
