"""Answers the questions of the search endpoints: text to AST to SQL to rows to pages."""

import dataclasses
from enum import Enum
from typing import Any

from pydantic import JsonValue

from backend.language.nodes import Node
from backend.language.parse import parse
from backend.language.print import print_query
from backend.search import statement
from backend.search.asked import Search
from backend.search.buckets import fill, width_for
from backend.search.compile.filter import compile_filter
from backend.search.costs import Costs
from backend.search.cursor import Cursor, Order, read_cursor, require_same_range
from backend.search.execute import Executor
from backend.search.explanation import index_uses
from backend.search.record_id import parse_record_id
from backend.search.records import record_id, to_log
from backend.search.schemas import Bucket, Explanation, Histogram, Log, Plan, SearchPage, Stats
from backend.search.scope import TimeRange, scope_of, whole_retention
from backend.search.times import format_time
from backend.search.values import json_integer
from kit.clock import Clock
from kit.errors import NotFound
from kit.settings import Settings
from schema.control.directory import Tenant

WHY_IN_ORDER = "rows are stored in the order of the page, so reading stops as soon as it is full"


class SearchService:
    def __init__(self, settings: Settings, executor: Executor, clock: Clock) -> None:
        self._settings = settings
        self._executor = executor
        self._clock = clock
        self._costs = Costs()

    async def page(self, tenant: Tenant, search: Search, order: Order, limit: int, cursor: str | None) -> SearchPage:
        """One page of matching records.

        Raises InvalidQuery, InvalidCursor, and what Executor.run raises.
        """
        node = parse(search.query)
        canonical = print_query(node)
        time_range, after = self._range(tenant, search), None
        if cursor is not None:
            previous = read_cursor(cursor, canonical, order, tenant.id)
            require_same_range(previous, search.start_ns, search.end_ns)
            time_range, after = previous.time_range, previous.last
        asked = statement.select_page(
            scope_of(tenant, time_range, self._settings.shards), compile_filter(node), order, limit + 1, after
        )
        answer = await self._executor.run(asked)
        self._costs.count(answer)
        rows = answer.rows[:limit]
        next_cursor = None
        if len(answer.rows) > limit:
            next_cursor = Cursor(canonical, order, tenant.id, time_range, record_id(rows[-1])).encode()
        return SearchPage(
            logs=[to_log(row) for row in rows],
            next_cursor=next_cursor,
            stats=Stats(
                elapsed_ms=answer.elapsed_ms,
                rows_read=answer.rows_read,
                bytes_read=answer.bytes_read,
                granules_total=None,
                granules_read=None,
                plan=Plan.in_order,
                windows=1,
            ),
        )

    async def histogram(self, tenant: Tenant, search: Search, buckets: int) -> Histogram:
        """Exact counts over time by severity. Raises as `page` does."""
        matching = compile_filter(parse(search.query))
        time_range = self._range(tenant, search)
        width_ns = width_for(time_range, buckets)
        answer = await self._executor.run(
            statement.count_buckets(scope_of(tenant, time_range, self._settings.shards), matching, width_ns)
        )
        self._costs.count(answer)
        counts = [(bucket, severity_number, count) for bucket, severity_number, count in answer.rows]
        return Histogram(
            interval_ns=json_integer(width_ns),
            buckets=[
                Bucket(start=format_time(start_ns), total=sum(by_severity.values()), by_severity=dict(by_severity))
                for start_ns, by_severity in fill(time_range, width_ns, counts)
            ],
        )

    async def record(self, tenant: Tenant, record: str) -> Log:
        """One record. Raises NotFound for an id the tenant has no record of, and what Executor.run raises."""
        wanted = parse_record_id(record)
        scope = scope_of(tenant, TimeRange(wanted.timestamp_ns, wanted.timestamp_ns + 1), self._settings.shards)
        answer = await self._executor.run(statement.select_record(scope, wanted))
        if not answer.rows:
            raise NotFound("there is no record with this id")
        return to_log(answer.rows[0])

    async def explain(self, tenant: Tenant, search: Search, order: Order, limit: int) -> Explanation:
        """How a page would be read, without reading it. Raises as `page` does."""
        node = parse(search.query)
        scope = scope_of(tenant, self._range(tenant, search), self._settings.shards)
        asked = statement.select_page(scope, compile_filter(node), order, limit + 1, None)
        answer = await self._executor.run(statement.explain(asked))
        return Explanation(
            query=print_query(node),
            ast=_json_tree(node),
            plan=Plan.in_order,
            why=WHY_IN_ORDER,
            sql=asked.sql,
            parameters={name: _json_tree(value) for name, value in asked.parameters.items()},
            indexes=index_uses("".join(row[0] for row in answer.rows)),
        )

    def _range(self, tenant: Tenant, search: Search) -> TimeRange:
        everything = whole_retention(tenant, self._clock.now_ns(), self._settings.future_tolerance_seconds)
        return search.within(everything)


def _json_tree(value: Node | Any) -> JsonValue:
    """Nodes as {"node": class, …fields}; what they hold as plain JSON."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _json_tree(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"node": type(value).__name__, **fields}
    if isinstance(value, tuple | list):
        return [_json_tree(item) for item in value]
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, int) and not isinstance(value, bool):
        return json_integer(value)
    return value if isinstance(value, str | float | bool) or value is None else str(value)
