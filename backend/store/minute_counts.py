"""Decides which counts read minute counts instead of records.

docs/decisions/0057-large-parts-count-their-minutes.md has the reasons.
"""

from collections.abc import Iterable
from typing import Final

import structlog

from backend.language.fields import Field, Source
from backend.store.compile.filter import Filter
from backend.store.execute import Executor, RunsInSlot
from backend.store.plans.log_tables import LogTables
from backend.store.plans.refreshed import MaxAges, Refreshed
from backend.store.scope import Scope
from backend.store.select_indexes import select_minute_counts
from backend.store.tables import LAST_SECOND
from backend.store.time_buckets import MINUTE_NS, whole_minutes
from kit.clock import Clock
from kit.errors import Internal
from schema.clickhouse.minute_counts import COLUMNS

log = structlog.get_logger()

FIELDS: Final = frozenset({"service", "severity", "severity_number"})
"""Fields by which minute counts can be grouped."""

SHORTEST_SECONDS: Final = 3_600
"""Shortest range in seconds for which minute counts are read. Two SELECTs over a shorter one cost more than they
save."""

MAX_AGES: Final = MaxAges(fresh=60.0, stale=600.0)
"""Largest ages, in seconds, of the cached answer whether tables have minute counts. Searches read the minute counts of
a table from about a minute after they were added."""
KEPT: Final = 1_000
"""Largest number of sets of tables for which the answer is cached."""


class MinuteCounts:
    def __init__(self, executor: Executor, clock: Clock) -> None:
        self._executor = executor
        self._known = Refreshed(self._read, MAX_AGES, KEPT, clock)

    async def may_answer(self, scope: Scope, matching: Filter, by: Iterable[Field], width_ns: int | None) -> bool:
        """Returns whether a count of the matching records may read minute counts, and at least one table of the scope
        has them. `by` are the fields of its groups, `width_ns` is the width of its buckets, None for no buckets.

        Returns false for several lanes, because ClickHouse reads no projections of tables that it reads by merge()
        (26.7). Raises what Executor.run raises, except Internal.
        """
        first, end = whole_minutes(scope.time_range)
        if not (
            len(scope.lanes) == 1
            and matching.clause.columns <= COLUMNS
            and not matching.clause.reads_pairs
            and all(each.source is Source.record and each.name in FIELDS for each in by)
            and (width_ns is None or width_ns % MINUTE_NS == 0)
            and end - first >= SHORTEST_SECONDS
            and end <= LAST_SECOND
        ):
            return False
        return await self._known.of(LogTables.of(scope), scope.tenant_id)

    async def _read(self, tables: LogTables) -> bool:
        return any(await tables.read(self._executor, _has_minute_counts))


async def _has_minute_counts(held: RunsInSlot, table: Scope) -> bool:
    try:
        (found,) = (await held.run(select_minute_counts(table))).rows
    except Internal as error:
        # On a server whose users an operator configures, the query user may lack this grant. Counts then read
        # records.
        log.warning("the tables with minute counts could not be read", shard=table.shards[0], reason=error.detail)
        return False
    return bool(found)
