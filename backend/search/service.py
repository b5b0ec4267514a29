"""Answers the questions of the search endpoints: text to AST to SQL to rows to pages."""

import dataclasses
from collections.abc import AsyncGenerator
from contextlib import aclosing
from enum import Enum
from typing import Any

from pydantic import JsonValue

from backend.answer_budget import AnswerBudget
from backend.language.nodes import Node
from backend.language.parse import parse
from backend.language.print import print_query
from backend.logs.asked import PageOptions, Search
from backend.logs.values import json_integer
from backend.search.asked_page import AskedPage, FoundPage, Tally
from backend.search.buckets import fill, width_for
from backend.search.cursor import read_cursor, require_same_range
from backend.search.explanation import index_uses
from backend.search.page_json import encoded_lines
from backend.search.schemas import Bucket, Explanation, Histogram, PageEnd, SearchLine
from backend.search.stream import encode
from backend.store import statement
from backend.store.compile.filter import compile_filter
from backend.store.costs import Costs
from backend.store.execute import Executor, Row
from backend.store.get_record import get_record
from backend.store.plans.plan import Plan
from backend.store.plans.question import PageQuestion
from backend.store.plans.reader import PageReader
from backend.store.query_threads import QueryThreads
from backend.store.record_id import RecordId
from backend.store.scope import TimeRange, scope_of, whole_retention
from backend.times import format_time
from kit.clock import Clock
from kit.settings import Settings
from schema.control.directory import Tenant


class SearchService:
    def __init__(
        self,
        settings: Settings,
        executor: Executor,
        clock: Clock,
        answers: AnswerBudget | None = None,
        queries: QueryThreads | None = None,
    ) -> None:
        self._settings = settings
        self._executor = executor
        self._clock = clock
        self._queries = queries or QueryThreads(clock)
        self._costs = Costs()
        self._pages = PageReader(settings, executor, clock)
        self.answers = answers or AnswerBudget(settings.query_max_unread_bytes)
        """The bytes of answers that clients have not read yet."""

    async def page(self, tenant: Tenant, search: Search, options: PageOptions) -> FoundPage:
        """One page of matching records.

        Raises InvalidQuery, InvalidCursor, and what Executor.run raises.
        """
        asked = await self._asked(tenant, search, options)
        planned = await self._pages.plan(asked.question, options.plan)
        rows: list[Row] = []
        tally = Tally(planned)
        async for step in self._pages.read(planned):
            rows += step.answer.rows
            tally.add(step)
        return FoundPage(rows[: options.limit], asked.next_cursor(rows), tally.stats())

    async def stream(self, tenant: Tenant, search: Search, options: PageOptions) -> AsyncGenerator[bytes]:
        """Lines of the shape schemas.SearchLine: the same page, its records as windows find them.

        Raises as `page` does, and RateLimited where the tenant's clients leave too much unread.
        """
        asked = await self._asked(tenant, search, options)
        planned = await self._pages.plan(asked.question, options.plan)
        places: list[Row] = []
        tally = Tally(planned)
        with self.answers.share(tenant.id) as held:
            async with aclosing(self._pages.read(planned)) as steps:
                async for step in steps:
                    tally.add(step)
                    rows = step.answer.rows[: options.limit - len(places)]
                    places += [row[:2] for row in step.answer.rows]
                    lines = await encoded_lines(rows, b'{"log":', b"}\n")
                    lines.append(encode(SearchLine(progress=tally.progress())))
                    del step, rows
                    held.grow(sum(map(len, lines)))
                    for piece in lines:
                        yield piece
                    held.shrink(held.size)
        yield encode(SearchLine(page=PageEnd(next_cursor=asked.next_cursor(places), stats=tally.stats())))

    async def histogram(self, tenant: Tenant, search: Search, buckets: int) -> Histogram:
        """Exact counts over time by severity. Raises as `page` does."""
        matching = await self._queries.run(tenant.id, lambda: compile_filter(parse(search.query)))
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

    async def record(self, tenant: Tenant, record: str) -> Row:
        """One record's row. Raises NotFound for an id the tenant has no record of, and what Executor.run raises."""
        return await get_record(self._executor, tenant, record, self._settings.shards)

    async def explain(self, tenant: Tenant, search: Search, options: PageOptions) -> Explanation:
        """How a page would be read, without reading it. Raises as `page` does."""
        asked = await self._asked(tenant, search, options)
        question = asked.question
        choice = (await self._pages.plan(question, options.plan)).choice
        scope, is_two_phase = question.scope, choice.inside is Plan.two_phase
        select = statement.select_keys if is_two_phase else statement.select_page
        finds = select(question)
        made_up = RecordId(scope.time_range.start_ns, 0)
        return Explanation(
            query=asked.canonical,
            ast=_json_tree(asked.node),
            plan=choice.plan,
            why=choice.why,
            scan=question.matching.scan and question.matching.scan.value,
            sql=finds.sql,
            second_phase_sql=statement.select_by_keys(scope, [made_up], options.order).sql if is_two_phase else None,
            parameters={name: _json_tree(value) for name, value in finds.parameters.items()},
            indexes=await index_uses(self._executor, question, select),
        )

    async def _asked(self, tenant: Tenant, search: Search, options: PageOptions) -> AskedPage:
        return await self._queries.run(tenant.id, lambda: self._ask(tenant, search, options))

    def _ask(self, tenant: Tenant, search: Search, options: PageOptions) -> AskedPage:
        """Asks for one record more than the page has room for, which tells whether there is a next page."""
        node = parse(search.query)
        canonical = print_query(node)
        time_range, after = self._range(tenant, search), None
        if options.cursor is not None:
            previous = read_cursor(options.cursor, canonical, options.order, tenant.id)
            require_same_range(previous, search.start_ns, search.end_ns)
            time_range, after = previous.time_range, previous.last
        scope = scope_of(tenant, time_range, self._settings.shards)
        question = PageQuestion(scope, compile_filter(node), options.order, options.limit + 1, after)
        return AskedPage(question, node, canonical)

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
