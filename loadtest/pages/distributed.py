"""Reads a page of two shards through Distributed tables, as Logsieve did until decision 0050.

The server that receives a statement sends it to both shards and merges their rows. It cannot read wide columns last, so
if narrow columns and indexes suffice to find the keys, they are read first, and their rows by a second statement.
"""

from dataclasses import replace

from backend.store.execute import Executor
from backend.store.page import Page
from backend.store.plans.capabilities import Capabilities, CapabilitiesOfTables
from backend.store.plans.choose import WIDE_COLUMNS, choose
from backend.store.plans.extent import Extents
from backend.store.plans.one_range import READ_RANGE
from backend.store.plans.plan import Plan, RangePlan
from backend.store.plans.windowed import first_length, read_windowed
from backend.store.query import Query
from backend.store.read_records import PackedShares
from backend.store.rows import Rows
from kit.clock import Clock
from schema.columns import Record


class DistributedReader:
    """Reads pages by statements over Distributed tables, which a scope of several shards names."""

    def __init__(self, executor: Executor, clock: Clock) -> None:
        self._executor = executor
        self._capabilities = CapabilitiesOfTables(executor, clock)
        self._extents = Extents(executor, clock)
        self._shares = PackedShares()

    async def page(self, query: Query) -> int:
        """Reads a page and one record more. Returns the number of records on the page. Raises what Executor.run
        raises."""
        capabilities = await self._capabilities.of(query.scope)
        both = await self._extents.of(query.scope, query.open_range)
        # A statement over both shards checks the filters of both.
        extent = replace(both, most_granules=both.granules)
        read_by, wanted = READ_RANGE[_inside(query, capabilities)], query.with_one_more

        async def read(part: Query) -> Rows[Record]:
            return await read_by(self._executor, part, self._shares)

        if choose(query.matching, capabilities, extent, Plan.auto).plan is not Plan.windowed:
            return min(query.limit, len((await read(wanted)).rows))
        windows: list[Page] = [window async for window in read_windowed(wanted, read, first_length(wanted, extent))]
        return min(query.limit, sum(len(window.records) for window in windows))


def _inside(query: Query, capabilities: Capabilities) -> RangePlan:
    """Returns the plan that reads a range: `two_phase` unless the keys cannot be found without wide columns."""
    wide = query.matching.clause.columns & WIDE_COLUMNS
    is_found_by_index = wide == {"body"} and query.matching.clause.prunes and capabilities.finds_words
    return RangePlan.two_phase if not wide or is_found_by_index else RangePlan.in_order
