"""Finds the patterns of matching messages: samples them, groups them, and writes the queries that find them."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from backend.language.nodes import Node
from backend.logs.compiled_query import compiled
from backend.logs.parameters import SearchParameters
from backend.patterns.groups import Pattern, find_patterns
from backend.patterns.query_text import pattern_queries
from backend.patterns.sample import Sample, largest_sample, read_sample
from backend.patterns.schemas import LogPattern, LogPatterns
from backend.patterns.statements import SampledMessage
from backend.store.compile.filter import Filter
from backend.store.execute import Executor
from backend.store.query_threads import QueryThreads
from backend.store.queue import FairQueue, QueueLimits
from backend.store.scope import Scope, Scopes, TimeRange
from backend.times import format_time
from kit.clock import DAY_NS, Clock
from kit.errors import QueryTooExpensive, RateLimited
from kit.settings import Settings
from schema.control.directory import Tenant

REQUESTS: Final = 32
"""Largest number of requests that an API process answers at the same time. Each holds two samples of up to 10 MB, so
that all together hold up to 640 MB. If half of LOGSIEVE_QUERY_MAX_CONCURRENT is less, this half is the limit: each
request runs one statement at a time, and slow statements should leave slots for searches."""
LIMITS: Final = QueueLimits(running=1, waiting=8, seconds=60.0)
"""Limits of one tenant's requests. A request holds its slot from its first statement until its patterns are found, so
that a tenant's samples do not add up in memory. A request may run many statements, so it waits longer for a slot than a
single statement does."""
REQUEST_SECONDS: Final = 50.0
"""Longest time, in seconds, for which a request may read samples in its slot. It is shorter than the time that a
request may wait for a slot, so that slow requests of many tenants do not make another tenant wait in vain."""
RETRY_SECONDS: Final = 30.0
"""Seconds after which a client should repeat a request whose sample took too long."""


class PatternService:
    def __init__(self, settings: Settings, executor: Executor, clock: Clock, queries: QueryThreads) -> None:
        self._executor = executor
        self._scopes = Scopes(settings, clock)
        self._queries = queries
        most = max(1, min(REQUESTS, settings.query_max_concurrent // 2))
        self._requests = FairQueue("patterns", most, clock, requests="requests for patterns")
        # Separate threads, because grouping takes longer than short queries of other tenants should wait.
        self._grouping = QueryThreads(clock, "grouping", LIMITS)
        self._most = largest_sample(settings.query_max_result_bytes)

    async def patterns(self, tenant: Tenant, requested: SearchParameters, limit: int) -> LogPatterns:
        """Returns at most `limit` patterns. Raises InvalidQuery, InvalidRequest, and what Executor.run and
        QueryThreads.run raise."""
        scope = self._scopes.of(tenant, self._scopes.range(tenant, requested.range()))
        matching, _ = await self._queries.read(tenant.id, compiled, requested.query)
        async with self._requests.slot(tenant.id, LIMITS):
            return await self._answer(tenant, scope, matching, limit)

    async def _answer(self, tenant: Tenant, scope: Scope, matching: Filter, limit: int) -> LogPatterns:
        sample, earlier = await self._samples(tenant, scope, matching)
        found = await self._grouping.run(tenant.id, lambda: find_patterns(sample, earlier, limit))
        sampled, is_compared = len(sample.messages), len(earlier) > 0

        def write() -> list[LogPattern]:
            return [_shown(each, matching.node, sampled, is_compared=is_compared) for each in found.patterns]

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

    async def _samples(self, tenant: Tenant, scope: Scope, matching: Filter) -> tuple[Sample, Sequence[SampledMessage]]:
        """Returns the sample of the scope, and the sampled messages of the day before. Returns no messages of the day
        before if reading them would exceed a limit or take too long, because patterns can be found without them.

        Raises RateLimited if the sample of the scope takes longer than REQUEST_SECONDS, because its statements may have
        waited for those of other searches, and what Executor.run raises.
        """
        end = asyncio.get_running_loop().time() + REQUEST_SECONDS
        try:
            async with asyncio.timeout_at(end):
                sample = await read_sample(self._executor, scope, matching, self._most)
        except TimeoutError as error:
            raise RateLimited(
                f"reading a sample of the matching logs took longer than {REQUEST_SECONDS:g} s: try again later, or "
                "search a shorter time range",
                retry_after=RETRY_SECONDS,
            ) from error
        if not sample.messages:
            return sample, []
        before = self._scopes.of(tenant, day_before(scope.time_range))
        with suppress(TimeoutError, QueryTooExpensive, RateLimited):
            async with asyncio.timeout_at(end):
                return sample, (await read_sample(self._executor, before, matching, self._most)).messages
        return sample, []

    def close(self) -> None:
        """Lets the threads that group samples end."""
        self._grouping.close()


def day_before(time_range: TimeRange) -> TimeRange:
    """Returns the range one day earlier. If the range is longer than a day, leaves out the part that overlaps with the
    range."""
    return TimeRange(time_range.start_ns - DAY_NS, min(time_range.end_ns - DAY_NS, time_range.start_ns))


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
