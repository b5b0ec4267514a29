"""Plans a page and reads it, window by window."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from backend.store.costs import Costs
from backend.store.each_table import read_merged
from backend.store.execute import Executor
from backend.store.order import Order
from backend.store.page import Page
from backend.store.plans.capabilities import CapabilitiesOfTables
from backend.store.plans.choose import PagePlan, choose
from backend.store.plans.densities import Densities, Density
from backend.store.plans.expected import expected_length, read_expected
from backend.store.plans.extent import Extents
from backend.store.plans.one_range import READ_RANGE
from backend.store.plans.plan import Plan, RangePlan
from backend.store.plans.windowed import FIRST_GRANULES, first_length, read_windowed, searches_bodies_first
from backend.store.query import Query
from backend.store.read_records import PackedShares
from backend.store.record_id import RecordId, key_of
from backend.store.rows import NO_COST, Rows
from backend.store.runs import Runs, SlotRuns
from backend.store.runs_in_time import RunsInTime
from backend.store.scope import Scope, TimeRange
from backend.store.select_records import (
    select_by_keys,
    select_keys,
    select_packed_by_keys,
    select_packed_page,
    select_page,
)
from backend.store.statement import Statement
from backend.store.time_buckets import MINUTE_NS
from backend.store.windows import counted_range, far_edge, first_edge, length_read, with_rest
from kit.clock import Clock
from kit.settings import Settings
from schema.columns import Record


class PageReader:
    def __init__(
        self,
        settings: Settings,
        executor: Executor,
        clock: Clock,
        densities: Densities | None = None,
        capabilities: CapabilitiesOfTables | None = None,
    ) -> None:
        """Without `densities` or `capabilities`, has caches of its own."""
        self._settings = settings
        self._executor = executor
        self._clock = clock
        self._capabilities = capabilities or CapabilitiesOfTables(executor, clock)
        self._extents = Extents(executor, clock)
        self._extents_after_now = Extents(executor, clock)
        self._densities = densities or Densities(clock)
        self._costs = Costs()
        self._shares = PackedShares()

    async def plan(self, query: Query, requested: Plan) -> PagePlan:
        """Chooses the plan of a page. Raises what Executor.run raises."""
        capabilities = await self._capabilities.of(query.scope)
        extent = await self._extents.of(query.scope, query.open_range)
        plan, tables = choose(query.matching, capabilities, extent, requested), len(query.of_each_table)
        plan = replace(plan, counts_from_now=await self._has_few_after_now(query))
        if tables == 1:
            return plan
        return replace(plan, why=f"{plan.why}; each of {tables} tables is read alone, and the pages are merged")

    async def _has_few_after_now(self, query: Query) -> bool:
        """Returns whether a first window may include all of its range after now. A tenant whose clocks are ahead may
        have as many records there as before. Raises what Executor.run raises."""
        next_minute_ns = -(-self._clock.now_ns() // MINUTE_NS) * MINUTE_NS
        counted = counted_range(query.open_range, query.order, next_minute_ns)
        if counted == query.open_range:
            return True
        after_now = TimeRange(counted.end_ns, query.open_range.end_ns)
        return (await self._extents_after_now.of(query.scope, after_now)).most_granules <= FIRST_GRANULES

    def statements(self, query: Query, plan: PagePlan) -> list[Statement[Any]]:
        """Returns the statements that read a range of the page of a query over one table.

        Plan `two_phase` has two. The second one has a placeholder key, because the keys are known only after the first.
        """
        few = self._shares.is_high(query.scope.tenant_id)
        if plan.inside is RangePlan.in_order:
            return [select_packed_page(query) if few else select_page(query)]
        by_keys: Callable[[Scope, Sequence[RecordId], Order], Statement[Any]]
        by_keys = select_packed_by_keys if few else select_by_keys
        return [select_keys(query), by_keys(query.scope, [RecordId(query.scope.time_range.start_ns, 0)], query.order)]

    async def page(
        self,
        query: Query,
        plan: PagePlan,
        runs: SlotRuns | None = None,
        count: Callable[[Sequence[Record]], None] | None = None,
    ) -> Page:
        """Returns the whole page; `runs` runs its statements instead of the reader's own executor. `count` is called
        with the records of each window.

        Raises what Executor.run and `count` raise.
        """
        records: list[Record] = []
        cost, next_after = NO_COST, None
        async for part in self.read(query, plan, runs):
            if count is not None:
                count(part.records)
            records += part.records
            cost += part.cost
            next_after = part.next_after
        return Page(records, query.open_range, cost, next_after)

    async def read(self, query: Query, plan: PagePlan, runs: SlotRuns | None = None) -> AsyncGenerator[Page]:
        """Yields the page in parts, one for each window, until it is full or the range ends.

        Reads one record more than the page has, so that the last part shows if there is a next page. Reading stops
        when the iteration stops. Raises what Executor.run raises, and QueryTooExpensive when all statements together
        took longer than QUERY_MAX_SECONDS.
        """
        room, last = query.limit, RecordId(0, 0)
        in_time = RunsInTime(runs or self._executor, self._settings.query_max_seconds, self._clock)
        async for part in self._windows(query.with_one_more, plan, in_time):
            self._costs.count(part.cost, plan.plan)
            records = part.records[:room]
            room -= len(records)
            last = key_of(records[-1]) if records else last
            yield Page(records, part.window, part.cost, last if len(part.records) > len(records) else None)

    async def _windows(self, query: Query, plan: PagePlan, runs: SlotRuns) -> AsyncIterator[Page]:
        by_shares = READ_RANGE[plan.inside]

        def read_table(held: Runs, of_table: Query) -> Coroutine[Any, Any, Rows[Record]]:
            return by_shares(held, of_table, self._shares)

        whole = query.open_range
        counted_in = counted_range(whole, query.order, self._clock.now_ns()) if plan.counts_from_now else whole

        async def read_range(window: Query) -> Rows[Record]:
            time_range = with_rest(window.scope.time_range, counted_in, whole)
            return await read_merged(runs, window.over(time_range), read_table)

        counted, edge_ns = query.over(counted_in), first_edge(counted_in, query.order)
        density = self._densities.of(query)
        if plan.plan is Plan.windowed:
            first_ns = first_length(counted, plan.extent, density)
            in_bodies = searches_bodies_first(counted, plan.extent, first_ns)
            parts = read_windowed(counted, read_range, first_ns, in_bodies_first=in_bodies)
        else:
            parts = read_expected(counted, read_range, expected_length(counted, density if plan.is_chosen else None))
        records, cost = 0, NO_COST
        async for part in parts:
            records += len(part.records)
            cost += part.cost
            is_full = records >= query.limit
            read_to = key_of(part.records[-1]).timestamp_ns if is_full else far_edge(part.window, query.order)
            span_ns = length_read(edge_ns, read_to, query.order)
            if counted_in != whole:
                # If a page is full of records after now, no time of the counted range was searched, and the span is 0.
                # An empty span would not be kept.
                span_ns = max(1, span_ns)
            if plan.is_chosen or plan.plan is Plan.windowed:
                self._densities.keep(query, Density(records, span_ns, cost.elapsed_ms))
            yield replace(part, window=with_rest(part.window, counted_in, whole))
