"""Computes numbers over matching records: parses the text, reads the numbers, and makes the answer."""

from collections.abc import Mapping
from typing import NamedTuple

from backend.answers.resources import Resources
from backend.language.parse import parse_stats
from backend.language.print_stats import print_stats_query
from backend.language.stats_nodes import Stats
from backend.logs.parameters import SearchParameters
from backend.stats.answer import columns_of
from backend.stats.run import Run
from backend.stats.schemas import LogStats, StatsCost
from backend.stats.series import check_buckets, read_series
from backend.stats.statements import ScopedStats
from backend.stats.tables import read_table
from backend.store.block_settings import SMALL_BLOCKS, block_settings
from backend.store.compile.filter import Filter, compile_filter
from backend.store.compile.stats import StatsColumns, compile_stats
from backend.store.costs import Costs
from backend.store.execute import Executor
from backend.store.known_tables import KnownTables
from backend.store.scope import OpenRange, Scope, Scopes, TimeRange
from backend.times import format_time
from kit.clock import Clock
from kit.settings import Settings
from schema.control.directory import Tenant


class _Compiled(NamedTuple):
    canonical: str
    matching: Filter
    stats: Stats
    columns: StatsColumns


class StatsService:
    def __init__(
        self, settings: Settings, executor: Executor, clock: Clock, resources: Resources, tables: KnownTables
    ) -> None:
        self._executor = executor
        self._clock = clock
        self._scopes = Scopes(settings, clock)
        self._resources = resources
        self._tables = tables
        self._costs = Costs()

    async def stats(self, tenant: Tenant, requested: SearchParameters) -> LogStats:
        """Returns the numbers that the query text describes.

        Raises InvalidQuery, InvalidRequest for a range with too many buckets or values, and what Executor.run raises.
        """
        open_range = requested.range()
        canonical, matching, stats, columns = await self._resources.queries.read(tenant.id, _compiled, requested.query)
        time_range = self._scopes.range(tenant, open_range)
        if stats.interval_ns is not None:
            check_buckets(time_range, stats.interval_ns)
        scope, run = self._scopes.of(tenant, time_range), Run(self._executor)
        computed = ScopedStats(
            scope=scope,
            matching=matching,
            stats=stats,
            columns=columns,
            settings=await self._settings(scope, matching, columns),
            by_minute=await self._by_minute(scope, matching, stats),
        )
        if stats.interval_ns is None:
            table, series = await read_table(run, computed, self._seconds(open_range, time_range)), None
        else:
            table, series = None, await read_series(run, computed, stats.interval_ns, self._resources.writers)
        self._costs.count(run.cost)
        shown = table or series
        assert shown is not None
        return LogStats(
            query=canonical,
            start=format_time(time_range.start_ns),
            end=format_time(time_range.end_ns),
            columns=columns_of(stats),
            rows=[] if table is None else table.rows,
            other=None if table is None else table.other,
            interval_ns=None if series is None else series.interval_ns,
            buckets=[] if series is None else series.buckets,
            series=[] if series is None else series.series,
            groups=shown.groups,
            left_out=shown.left_out,
            cost=StatsCost(
                elapsed_ms=run.cost.elapsed_ms,
                rows_read=run.cost.rows_read,
                bytes_read=run.cost.bytes_read,
                statements=run.statements,
            ),
        )

    def _seconds(self, requested: OpenRange, time_range: TimeRange) -> float:
        """Returns the length, in seconds, of the time from which rates are computed. It ends now if the request names
        no end, because the range then has an hour in which hardly any record can be yet."""
        now_ns, end_ns = self._clock.now_ns(), time_range.end_ns
        if requested.end_ns is None and time_range.start_ns < now_ns:
            end_ns = min(end_ns, now_ns)
        return (end_ns - time_range.start_ns) / 1e9

    async def _settings(self, scope: Scope, matching: Filter, columns: StatsColumns) -> Mapping[str, int]:
        if "body" in columns.columns:
            return SMALL_BLOCKS
        return await block_settings(matching, scope, self._tables.capabilities)

    async def _by_minute(self, scope: Scope, matching: Filter, stats: Stats) -> bool:
        only_counts = all(call.argument is None for call in stats.calls)
        return only_counts and await self._tables.minutes.may_answer(scope, matching, stats.by, stats.interval_ns)


def _compiled(text: str) -> _Compiled:
    query = parse_stats(text)
    stats = query.stats
    return _Compiled(print_stats_query(query), compile_filter(query.matching), stats, compile_stats(stats))
