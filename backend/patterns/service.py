"""Finds the patterns of matching messages: samples them, groups them, and writes the queries that find them."""

import asyncio
from typing import Final, TypeVar

from backend.language.nodes import Node
from backend.language.parse import parse
from backend.logs.parameters import SearchParameters
from backend.patterns.groups import Pattern, find_patterns
from backend.patterns.query_text import pattern_queries
from backend.patterns.sample import largest_sample, read_sample
from backend.patterns.schemas import LogPattern, LogPatterns
from backend.store.compile.filter import Filter, compile_filter
from backend.store.execute import Executor
from backend.store.query_threads import QueryThreads
from backend.store.queue import FairQueue, Places
from backend.store.rows import Rows
from backend.store.runs import Runs
from backend.store.scope import DAY_NS, Scope, Scopes, TimeRange
from backend.store.statement import Statement
from backend.times import format_time
from kit.clock import Clock
from kit.settings import Settings
from schema.control.directory import Tenant

R = TypeVar("R")

REQUESTS: Final = 32
"""Number of requests that an API process answers at the same time. Each holds two samples of up to 10 MB, so that all
together hold up to 640 MB."""
STATEMENTS: Final = 32
"""Number of statements that all of these requests run at the same time. It is half of the default of
LOGSIEVE_QUERY_MAX_CONCURRENT, so that slow requests for patterns leave places for searches."""
PLACES: Final = Places(running=1, waiting=8, seconds=60.0)
"""Limits of one tenant's requests. A request holds its place from its first statement until its patterns are found, so
that a tenant's samples do not add up in memory. That can be many statements, so a request waits longer for a place than
a single statement does."""


class PatternService:
    def __init__(
        self, settings: Settings, executor: Executor, clock: Clock, queries: QueryThreads | None = None
    ) -> None:
        self._executor = _FewAtOnce(executor)
        self._scopes = Scopes(settings, clock)
        self._queries = queries or QueryThreads(clock)
        self._requests = FairQueue("patterns", REQUESTS, clock, requests="requests for patterns")
        # Separate threads, because grouping takes longer than short queries of other tenants should wait.
        self._grouping = QueryThreads(clock, "grouping", PLACES)
        self._most = largest_sample(settings.query_max_result_bytes)

    async def patterns(self, tenant: Tenant, requested: SearchParameters, limit: int) -> LogPatterns:
        """Returns at most `limit` patterns. Raises InvalidQuery, InvalidRequest, and what Executor.run and
        QueryThreads.run raise."""
        scope = self._scopes.of(tenant, self._scopes.range(tenant, requested.range()))
        matching = await self._queries.read(tenant.id, _filter, requested.query)
        async with self._requests.slot(tenant.id, PLACES):
            return await self._answer(tenant, requested.query, scope, matching, limit)

    async def _answer(self, tenant: Tenant, query: str, scope: Scope, matching: Filter, limit: int) -> LogPatterns:
        sample = await read_sample(self._executor, scope, matching, self._most)
        before = self._scopes.of(tenant, day_before(scope.time_range))
        earlier = (await read_sample(self._executor, before, matching, self._most)).messages if sample.messages else []
        found = await self._grouping.run(tenant.id, lambda: find_patterns(sample, earlier, limit))
        sampled, is_compared = len(sample.messages), len(earlier) > 0

        def write() -> list[LogPattern]:
            node = parse(query)
            return [_shown(each, node, sampled, is_compared=is_compared) for each in found.patterns]

        shown = await self._queries.run(tenant.id, write)
        return LogPatterns(
            start=format_time(scope.time_range.start_ns),
            end=format_time(scope.time_range.end_ns),
            sampled=sampled,
            matching=sample.matching,
            is_estimate=sample.matching != sampled,
            sampled_before=len(earlier),
            found=found.number,
            patterns=shown,
        )

    def close(self) -> None:
        """Lets the threads end that group samples."""
        self._grouping.close()


class _FewAtOnce:
    """Runs at most STATEMENTS statements at the same time."""

    def __init__(self, executor: Runs) -> None:
        self._executor = executor
        self._places = asyncio.Semaphore(STATEMENTS)

    async def run(self, statement: Statement[R], /) -> Rows[R]:
        """Returns the whole answer. Raises what Executor.run raises."""
        async with self._places:
            return await self._executor.run(statement)


def day_before(time_range: TimeRange) -> TimeRange:
    """Returns the range one day earlier. If the range is longer than a day, leaves out the part that overlaps with the
    range."""
    return TimeRange(time_range.start_ns - DAY_NS, min(time_range.end_ns - DAY_NS, time_range.start_ns))


def _filter(query: str) -> Filter:
    return compile_filter(parse(query))


def _shown(pattern: Pattern, node: Node, sampled: int, *, is_compared: bool) -> LogPattern:
    find, exclude = pattern_queries(node, pattern.template) or (None, None)
    return LogPattern(
        template=" ".join(pattern.template),
        records=pattern.records,
        share=pattern.records / sampled,
        counts=list(pattern.counts),
        first_seen=format_time(pattern.first_ns),
        last_seen=format_time(pattern.last_ns),
        example=str(pattern.example),
        query=find,
        exclude=exclude,
        new=not pattern.was_before if is_compared else None,
    )
