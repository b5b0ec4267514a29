"""Scrolls through matching records in the order of pages, past any page: window by window, for as long as wanted."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

from backend.store.compile.filter import Filter
from backend.store.costs import Costs
from backend.store.execute import Executor
from backend.store.limits import AnswerTooLarge
from backend.store.order import Order
from backend.store.page import Page
from backend.store.query import Query
from backend.store.record_id import RecordId, key_of
from backend.store.rows import Rows
from backend.store.scope import Scope
from backend.store.select_records import select_page
from backend.store.windows import FIRST_NS, SHORTEST_NS, far_edge, first_edge, length_by_rows_read, shorter, window_from
from kit.errors import QueryTooExpensive
from schema.columns import StoredRecord

STEP_BYTES: Final = 8 * 2**20
"""Largest answer of one statement, in bytes, unless that is a single record: what a scroll holds at a time."""


class ScrollReader:
    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._costs = Costs()

    async def read(
        self, scope: Scope, matching: Filter, order: Order, page_rows: int, after: RecordId | None = None
    ) -> AsyncIterator[Page]:
        """Yields pages of at most `page_rows` records, those behind `after` where it is given, until the range ends.

        A limit applies to each statement. One that answers with more than STEP_BYTES is tried again for a quarter of
        the rows, and one that hits another limit over a quarter of the window, down to SHORTEST_NS, then for fewer
        rows. The reading stops with the iteration. Raises what Executor.run raises; QueryTooExpensive once a single
        row is too much.
        """
        length_ns, rows_read, rows = FIRST_NS, 0, page_rows
        edge_ns = first_edge(scope.time_range, order)
        window = window_from(edge_ns, length_ns, scope.time_range, order)
        while window is not None:
            query = Query(replace(scope, time_range=window), matching, order, rows, after)
            try:
                answer = await self._ask(query)
            except QueryTooExpensive as error:
                if not isinstance(error, AnswerTooLarge) and length_ns > SHORTEST_NS:
                    # What was read of the window already is not looked through again.
                    edge_ns = first_edge(query.open_range, order)
                    length_ns = shorter(length_ns, SHORTEST_NS)
                    window = window_from(edge_ns, length_ns, scope.time_range, order)
                elif rows > 1:
                    rows = max(1, rows // 4)
                else:
                    raise
                continue
            self._costs.count(answer.cost)
            rows_read += answer.cost.rows_read
            yield Page(answer.rows, window, answer.cost)
            if answer.rows:
                after = key_of(answer.rows[-1])
            is_full = len(answer.rows) == rows
            rows = min(page_rows, rows + max(1, rows // 8))
            if is_full:
                continue
            length_ns, rows_read = length_by_rows_read(length_ns, rows_read), 0
            edge_ns = far_edge(window, order)
            window = window_from(edge_ns, length_ns, scope.time_range, order)

    async def _ask(self, query: Query) -> Rows[StoredRecord]:
        limit = None if query.limit == 1 else STEP_BYTES
        return await self._executor.run(replace(select_page(query), result_bytes=limit))
