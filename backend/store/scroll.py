"""Reads matching records of any number in the order of pages, window by window."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Final

from backend.store.compile.filter import Filter
from backend.store.costs import Costs
from backend.store.each_table import read_merged
from backend.store.limits import AnswerTooLarge, NoTimeLeft, ShareTooSmall
from backend.store.order import Order
from backend.store.page import Page
from backend.store.query import Query
from backend.store.read_records import PackedShares, read_page
from backend.store.record_id import RecordId, key_of
from backend.store.rows import Rows
from backend.store.runs import SlotRuns
from backend.store.scope import Scope
from backend.store.windows import FIRST_NS, SHORTEST_NS, far_edge, first_edge, length_by_rows_read, shorter, window_from
from kit.errors import QueryTooExpensive
from schema.columns import Record

STEP_BYTES: Final = 8 * 2**20
"""Largest answer of the statements of one page in bytes, which bounds the memory of a scroll. A single record may be
larger."""


class ScrollReader:
    def __init__(self, runs: SlotRuns, shares: PackedShares | None = None) -> None:
        self._runs = runs
        self._costs = Costs()
        self._shares = shares or PackedShares()

    def over(self, runs: SlotRuns) -> "ScrollReader":
        """Returns a reader that runs its statements by `runs`, and shares what this reader remembers of tenants."""
        return ScrollReader(runs, self._shares)

    async def read(
        self,
        scope: Callable[[], Scope],
        matching: Filter,
        order: Order,
        page_rows: int,
        after: RecordId | None = None,
    ) -> AsyncIterator[Page]:
        """Yields pages of at most `page_rows` records until the range ends, beginning after the record `after` if
        given.

        Calls `scope` before each statement, because a tenant may move to other lanes and shards while a long range is
        read. The time range is that of the first call. Limits apply to each statement. If an answer exceeds STEP_BYTES,
        divided by the number of tables, or the tenant's share of the limit on answers, the page is read again for a
        quarter of the rows. If a statement hits another limit, the page is read again over a quarter of the window,
        down to SHORTEST_NS, and then for fewer rows. Reading stops when the iteration stops. Raises what `scope` and
        Executor.run raise, among them the error of a limit that even a single row hits, and NoTimeLeft if the reader
        runs statements in limited time.
        """
        length_ns, rows_read, rows = FIRST_NS, 0, page_rows
        within = scope().time_range
        edge_ns = first_edge(within, order)
        window = window_from(edge_ns, length_ns, within, order)
        while window is not None:
            query = Query(replace(scope(), time_range=window), matching, order, rows, after)
            try:
                answer = await self._read(query)
            except NoTimeLeft:
                raise
            except (QueryTooExpensive, ShareTooSmall) as error:
                if not isinstance(error, (AnswerTooLarge, ShareTooSmall)) and length_ns > SHORTEST_NS:
                    # The part of the window that was read already is not read again.
                    edge_ns = first_edge(query.open_range, order)
                    length_ns = shorter(length_ns, SHORTEST_NS)
                    window = window_from(edge_ns, length_ns, within, order)
                elif rows > 1:
                    rows = max(1, rows // 4)
                else:
                    raise
                continue
            self._costs.count(answer.cost)
            rows_read += answer.cost.rows_read
            is_full = len(answer.rows) == rows
            yield Page(answer.rows, window, answer.cost, ends_window=not is_full)
            if answer.rows:
                after = key_of(answer.rows[-1])
            # After a limit was hit, the pages grow again.
            rows = min(page_rows, rows + max(1, rows // 8))
            if is_full:
                continue
            length_ns, rows_read = length_by_rows_read(length_ns, rows_read), 0
            edge_ns = far_edge(window, order)
            window = window_from(edge_ns, length_ns, within, order)

    async def _read(self, query: Query) -> Rows[Record]:
        # The answers of all tables are in memory at the same time.
        limit = None if query.limit == 1 else STEP_BYTES // len(query.of_each_table)
        return await read_merged(
            self._runs, query, lambda held, of_table: read_page(held, of_table, self._shares, limit)
        )
