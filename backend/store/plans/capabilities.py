"""The indexes of a scope's tables and the features of their server, which are read about once a minute."""

from dataclasses import dataclass
from typing import Final

from backend.store.execute import Executor, RunsInSlot
from backend.store.plans.log_tables import LogTables
from backend.store.plans.refreshed import MaxAges, Refreshed
from backend.store.scope import Scope
from backend.store.select_indexes import IndexKinds, select_index_kinds
from kit.clock import Clock

MAX_AGES: Final = MaxAges(fresh=60.0, stale=600.0)
KEPT: Final = 1_000
"""Largest number of sets of tables whose features are cached."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Features that all tables of a scope have.

    `finds_words`: an inverted index finds the rows that have a word (profile `text`). Otherwise each granule has a
    token filter, which says if the granule may have the word. `is_lazy`: the server reads wide columns only for a
    page's rows (lazy materialization, ClickHouse 25.4).
    """

    finds_words: bool
    is_lazy: bool


class CapabilitiesOfTables:
    def __init__(self, executor: Executor, clock: Clock) -> None:
        self._executor = executor
        self._known = Refreshed(self._read, MAX_AGES, KEPT, clock)

    async def of(self, scope: Scope) -> Capabilities:
        """Returns the features that all of the scope's tables have. Raises what Executor.run raises."""
        return await self._known.of(LogTables.of(scope), scope.tenant_id)

    async def _read(self, tables: LogTables) -> Capabilities:
        found = await tables.read(self._executor, _index_kinds)
        # A table that is being switched to another profile has both indexes, on different parts.
        finds_words = all(each.text_indexes == 1 and each.token_filters == 0 for each in found)
        return Capabilities(finds_words, all(each.is_lazy for each in found))


async def _index_kinds(held: RunsInSlot, table: Scope) -> IndexKinds:
    (kinds,) = (await held.run(select_index_kinds(table))).rows
    return kinds
