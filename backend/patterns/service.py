"""Finds the patterns of matching messages: samples them, groups them, and writes the queries that find them."""

import asyncio
from dataclasses import replace

from backend.language.parse import parse
from backend.logs.parameters import SearchParameters
from backend.patterns.groups import Pattern, find_patterns
from backend.patterns.query_text import pattern_queries
from backend.patterns.schemas import LogPattern, LogPatterns
from backend.patterns.statements import SAMPLE, count_matching, newest_messages
from backend.store.compile.filter import Filter, compile_filter
from backend.store.execute import Executor
from backend.store.query_threads import QueryThreads
from backend.store.scope import DAY_NS, Scope, Scopes, TimeRange
from backend.times import format_time
from kit.clock import Clock
from kit.errors import QueryTooExpensive
from kit.settings import Settings
from schema.control.directory import Tenant


class PatternService:
    def __init__(
        self, settings: Settings, executor: Executor, clock: Clock, queries: QueryThreads | None = None
    ) -> None:
        self._executor = executor
        self._scopes = Scopes(settings, clock)
        self._queries = queries or QueryThreads(clock)

    async def patterns(self, tenant: Tenant, requested: SearchParameters, limit: int) -> LogPatterns:
        """Returns at most `limit` patterns. Raises InvalidQuery, InvalidRequest, and what Executor.run raises."""
        scope = self._scopes.of(tenant, self._scopes.range(tenant, requested.range()))
        matching = await self._queries.read(tenant.id, _filter, requested.query)
        sample = (await self._executor.run(newest_messages(scope, matching))).rows
        before = replace(scope, time_range=day_before(scope.time_range))
        earlier = (await self._executor.run(newest_messages(before, matching))).rows if sample else []
        total = len(sample) if len(sample) < SAMPLE else await self._count(scope, matching)
        found = await asyncio.to_thread(find_patterns, sample, earlier)
        is_compared = len(earlier) > 0
        shown = await self._queries.run(
            tenant.id,
            lambda: [_shown(each, requested.query, len(sample), is_compared=is_compared) for each in found[:limit]],
        )
        return LogPatterns(
            start=format_time(scope.time_range.start_ns),
            end=format_time(scope.time_range.end_ns),
            sampled=len(sample),
            matching=total,
            is_estimate=total != len(sample),
            sampled_before=len(earlier),
            found=len(found),
            patterns=shown,
        )

    async def _count(self, scope: Scope, matching: Filter) -> int | None:
        try:
            return (await self._executor.run(count_matching(scope, matching))).rows[0]
        except QueryTooExpensive:
            return None


def day_before(time_range: TimeRange) -> TimeRange:
    """Returns the range one day earlier. If the range is longer than a day, leaves out the part that overlaps with the
    range."""
    return TimeRange(time_range.start_ns - DAY_NS, min(time_range.end_ns - DAY_NS, time_range.start_ns))


def _filter(query: str) -> Filter:
    return compile_filter(parse(query))


def _shown(pattern: Pattern, query: str, sampled: int, *, is_compared: bool) -> LogPattern:
    find, exclude = pattern_queries(query, pattern.template) or (None, None)
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
