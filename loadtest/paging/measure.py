"""Reads all pages in both directions while records arrive between those already read and those to come.

A record stored before the first page must be on exactly one page. One that arrives meanwhile may be on one or on none,
never on two. What a page costs must not depend on how many came before it.
"""

import statistics
import threading
from collections.abc import Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from kit.errors import Internal
from loadtest.own_stack import Say
from loadtest.paging.arrivals import Arrivals
from loadtest.query_api import QueryApi

GOAL: Final = 1.5
"""Largest cost of a late page over the first."""

_REPEATS: Final = 41


@dataclass(frozen=True, slots=True)
class Pass:
    """All pages in one direction, read while records arrived."""

    order: str
    pages: int
    seen: int
    missing: int
    out_of_order: int
    """Neighbours that do not strictly follow each other; a record seen twice is one of them."""
    first_page_ms: float
    late_page: int
    late_page_ms: float

    @property
    def ratio(self) -> float:
        return self.late_page_ms / self.first_page_ms

    @property
    def exact(self) -> bool:
        return self.missing == 0 and self.out_of_order == 0 and self.seen > 0


class PagingMeasurement:
    def __init__(self, api: QueryApi, arrivals: Arrivals, range_ns: tuple[int, int], page_rows: int, say: Say) -> None:
        self._api = api
        self._arrivals = arrivals
        self._parameters: dict[str, str | int] = {"start": range_ns[0], "end": range_ns[1], "limit": page_rows}
        self._say = say

    def stored(self) -> Set[str]:
        """The ids of all records there are, read while nothing arrives."""
        return set(self._read("asc")[0])

    def measure(self, order: str, known: Set[str], rate: int, late_page: int) -> Pass:
        """One pass with `rate` records a second arriving; then the first page against page `late_page`, in turns.

        Raises Internal when there are fewer pages than that.
        """
        stopping = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            sending = pool.submit(self._arrivals.keep_sending, rate, stopping)
            try:
                ids, cursors = self._read(order)
                if len(cursors) < late_page:
                    raise Internal(f"there are only {len(cursors)} pages")
                first, late = self._compare(order, cursors[late_page - 1])
            finally:
                stopping.set()
            sending.result()
        rising = ids if order == "asc" else ids[::-1]
        return Pass(
            order,
            len(cursors),
            len(ids),
            len(known - set(ids)),
            sum(earlier >= later for earlier, later in pairwise(rising)),
            first * 1000,
            late_page,
            late * 1000,
        )

    def _read(self, order: str) -> tuple[list[str], list[str | None]]:
        """All ids, and the cursor that each page was asked with."""
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

    def _compare(self, order: str, cursor: str | None) -> tuple[float, float]:
        """Median seconds of the first page and of the one behind `cursor`, each asked in turn."""
        parameters = {**self._parameters, "order": order}
        first, late = [], []
        for _ in range(_REPEATS):
            first.append(self._api.page(parameters, None).seconds)
            late.append(self._api.page(parameters, cursor).seconds)
        return statistics.median(first), statistics.median(late)
