"""Scrolls through matching records in the order of pages, past any page: window by window, for as long as wanted."""

from collections.abc import AsyncIterator
from dataclasses import replace

from backend.search.compile.filter import Filter
from backend.search.costs import Costs
from backend.search.cursor import Order
from backend.search.execute import Executor
from backend.search.plans.in_order import read_in_order
from backend.search.plans.question import PageQuestion
from backend.search.plans.step import Step
from backend.search.record_id import RecordId
from backend.search.records import record_id
from backend.search.scope import Scope
from backend.search.windows import FIRST_NS, far_edge, first_edge, next_length, shorter, window_from
from kit.errors import QueryTooExpensive


class ScrollReader:
    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._costs = Costs()

    async def read(
        self, scope: Scope, matching: Filter, order: Order, page_rows: int, after: RecordId | None = None
    ) -> AsyncIterator[Step]:
        """Steps of at most `page_rows` rows, those behind `after` where it is given, until the scope's range ends.

        A limit applies to each statement, and one that hits it is tried again over a shorter window. Whoever stops
        iterating stops the reading. Raises what Executor.run raises; QueryTooExpensive once a minute is too much.
        """
        length_ns, rows_read = FIRST_NS, 0
        edge_ns = first_edge(scope.time_range, order)
        window = window_from(edge_ns, length_ns, scope.time_range, order)
        while window is not None:
            try:
                question = PageQuestion(replace(scope, time_range=window), matching, order, page_rows, after)
                answer = await read_in_order(self._executor, question)
            except QueryTooExpensive:
                if length_ns == FIRST_NS:
                    raise
                length_ns = shorter(length_ns)
                window = window_from(edge_ns, length_ns, scope.time_range, order)
                continue
            self._costs.count(answer)
            rows_read += answer.rows_read
            yield Step(answer, window)
            if answer.rows:
                after = record_id(answer.rows[-1])
            if len(answer.rows) == page_rows:
                continue
            length_ns, rows_read = next_length(length_ns, rows_read), 0
            edge_ns = far_edge(window, order)
            window = window_from(edge_ns, length_ns, scope.time_range, order)
