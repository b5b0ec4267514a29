"""Answers searches: reads query text, plans and reads pages, counts over time, and explains."""

import dataclasses
import math
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from enum import Enum
from typing import Any

from pydantic import JsonValue

from backend.answers.resources import Resources
from backend.language.nodes import Node
from backend.logs.compiled_query import compiled
from backend.logs.hint import FindHints, Hint
from backend.logs.values import json_integer
from backend.search.analysis import Analyzer
from backend.search.buckets import count_buckets, width_for
from backend.search.cursor import read_cursor, require_same_range
from backend.search.explanation import index_sizes, index_uses
from backend.search.found_page import FoundPage, next_cursor, progress_of, stats_of
from backend.search.histogram import histogram_by_field, histogram_by_severity
from backend.search.page_json import encoded_lines
from backend.search.parameters import ExplainParameters, HistogramParameters, PageParameters, PlanParameters
from backend.search.schemas import Explanation, Histogram, PageEnd, SearchLine
from backend.search.series import count_series
from backend.search.stream import encode
from backend.store.block_settings import block_settings
from backend.store.costs import Costs
from backend.store.counted_field import counted_field
from backend.store.execute import Executor
from backend.store.get_record import RecordReader
from backend.store.known_tables import KnownTables
from backend.store.plans.reader import PageReader
from backend.store.query import Query
from backend.store.rows import NO_COST
from backend.store.scope import Scopes
from backend.store.time_buckets import Buckets
from kit.clock import Clock
from kit.settings import Settings
from schema.columns import Record, StoredRecord
from schema.control.directory import Tenant


class SearchService:
    def __init__(
        self,
        settings: Settings,
        executor: Executor,
        clock: Clock,
        resources: Resources,
        find_hints: FindHints,
    ) -> None:
        """`find_hints` finds hints for a query that found nothing."""
        self._executor = executor
        self._scopes = Scopes(settings, clock)
        self._costs = Costs()
        self.tables = KnownTables.read_by(executor, clock)
        """Cached features of log tables, which counts of other services share."""
        self._pages = PageReader(settings, executor, clock, capabilities=self.tables.capabilities)
        self._records = RecordReader(settings, executor, clock)
        self._analyzer = Analyzer(self._pages, executor, clock)
        self.resources = resources
        self._find_hints = find_hints

    async def page(
        self, tenant: Tenant, requested: PageParameters, count: Callable[[Sequence[Record]], None] | None = None
    ) -> FoundPage:
        """Returns one page of matching records. `count` is called with the records of each time window.

        Raises InvalidQuery, InvalidCursor, InvalidRequest, and what Executor.run and `count` raise.
        """
        query, canonical = await self._query(tenant, requested, requested.cursor)
        plan = await self._pages.plan(query, requested.plan)
        page = await self._pages.page(query, plan, count=count)
        hints = [] if page.records else await self._hints(query, requested)
        shown = self._executor.shown(query.scope.shards, query.shown, page.records)
        return FoundPage(page.records, next_cursor(query, canonical, page, shown), stats_of(plan, page.cost), hints)

    async def stream(self, tenant: Tenant, requested: PageParameters) -> AsyncGenerator[bytes]:
        """Yields lines of the form schemas.SearchLine: the records of the page, as windows find them.

        Raises what `page` raises, and RateLimited if the tenant's clients leave too many bytes unread.
        """
        query, canonical = await self._query(tenant, requested, requested.cursor)
        plan = await self._pages.plan(query, requested.plan)
        cost, cursor, found_any, shown = NO_COST, None, False, query.shown
        with self.resources.answers.share(tenant.id) as held:
            async with aclosing(self._pages.read(query, plan)) as parts:
                async for part in parts:
                    cost += part.cost
                    shown = self._executor.shown(query.scope.shards, shown, part.records)
                    cursor = next_cursor(query, canonical, part, shown)
                    found_any = found_any or bool(part.records)
                    lines = await encoded_lines(self.resources.writers, tenant.id, part.records, b'{"log":', b"}\n")
                    lines.append(encode(SearchLine(progress=progress_of(cost))))
                    del part
                    held.grow(sum(map(len, lines)))
                    for piece in lines:
                        yield piece
                    held.shrink(held.size)
        hints = [] if found_any else await self._hints(query, requested)
        yield encode(SearchLine(page=PageEnd(next_cursor=cursor, stats=stats_of(plan, cost), hints=hints)))

    async def _hints(self, query: Query, requested: PageParameters) -> list[Hint]:
        """Returns hints for a query that found nothing. There are none for later pages, because the query found the
        earlier ones."""
        if requested.cursor is not None:
            return []
        return await self._find_hints(query.scope, requested.query, query.matching.node)

    async def histogram(self, tenant: Tenant, requested: HistogramParameters) -> Histogram:
        """Returns exact counts over time by severity or by the values of a field.

        Raises InvalidRequest for a field whose values are not counted, and what `page` raises.
        """
        field = None if requested.by is None else counted_field(requested.by)
        open_range = requested.range()
        matching, _ = await self.resources.queries.read(tenant.id, compiled, requested.query)
        time_range = self._scopes.range(tenant, open_range)
        width_ns = width_for(time_range, requested.buckets)
        scope = self._scopes.of(tenant, time_range)
        settings = await block_settings(matching, scope, self.tables.capabilities)
        by_minute = await self.tables.minutes.may_answer(scope, matching, [] if field is None else [field], width_ns)
        buckets = Buckets(width_ns, by_minute)
        if field is not None:
            series = await self._executor.run(count_series(scope, matching, buckets, field, settings))
            self._costs.count(series.cost)
            return histogram_by_field(time_range, width_ns, requested.by, series.rows)
        found = await self._executor.run(count_buckets(scope, matching, buckets, settings))
        self._costs.count(found.cost)
        return histogram_by_severity(time_range, width_ns, found.rows)

    async def record(self, tenant: Tenant, record: str) -> StoredRecord:
        """Returns one record.

        Raises what RecordReader.get raises.
        """
        return await self._records.get(tenant, record)

    async def explain(self, tenant: Tenant, requested: ExplainParameters) -> Explanation:
        """Explains how a page is read, and with `analyze` reads it to measure that. Raises what `page` raises."""
        query, canonical = await self._query(tenant, requested, None)
        plan = await self._pages.plan(query, requested.plan)
        # One record more than the page has is read, because it shows if there is a next page.
        of_tables = [self._pages.statements(each, plan) for each in query.with_one_more.of_each_table]
        finds, *rest = of_tables[0]
        matching = query.matching
        sizes = await index_sizes(self._executor, query.scope)
        return Explanation(
            query=canonical,
            ast=_json_tree(matching.node),
            plan=plan.plan,
            why=plan.why,
            scan=matching.clause.scan and matching.clause.scan.value,
            sql=finds.sql,
            second_phase_sql=rest[0].sql if rest else None,
            shards=list(query.scope.shards),
            parameters={name: _json_tree(value) for name, value in finds.parameters.items()},
            indexes=await index_uses(self._executor, [each[0] for each in of_tables], sizes),
            analysis=await self._analyzer.analyze(query, plan, sizes) if requested.analyze else None,
        )

    async def _query(self, tenant: Tenant, requested: PlanParameters, cursor: str | None) -> tuple[Query, str]:
        """Returns the query, and its text in canonical form."""
        open_range = requested.range()
        matching, canonical = await self.resources.queries.read(tenant.id, compiled, requested.query)
        if cursor is None:
            scope = self._scopes.of(tenant, self._scopes.range(tenant, open_range))
            return Query(scope, matching, requested.order, requested.limit), canonical
        previous = read_cursor(cursor, canonical, requested.order, tenant.id)
        require_same_range(previous, open_range)
        scope = self._scopes.of(tenant, previous.time_range)
        await self._executor.wait_for(scope.shards, previous.shown)
        return Query(scope, matching, requested.order, requested.limit, previous.last, previous.shown), canonical


def _json_tree(value: Node | Any) -> JsonValue:
    """Returns a node as {"node": class, …fields}, and its values as plain JSON."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _json_tree(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"node": type(value).__name__, **fields}
    if isinstance(value, tuple | list):
        return [_json_tree(item) for item in value]
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, int) and not isinstance(value, bool):
        return json_integer(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | float | bool) or value is None else str(value)
