"""The indexes of a scope's tables and the features of their server, read at most once a minute."""

from dataclasses import dataclass
from typing import Final

from backend.store.execute import Executor
from backend.store.scope import Scope
from backend.store.select_indexes import select_index_kinds
from kit.clock import Clock

KEPT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Features that all tables of a scope have.

    `finds_words`: an inverted index knows the rows that have a word (profile `text`). Without it, a token filter per
    granule knows which granules may have it. `is_lazy`: the server reads wide columns only for a page's rows (lazy
    materialization, ClickHouse 25.4), when it reads one shard.
    """

    finds_words: bool
    is_lazy: bool
    shards: int


class CapabilitiesOfTables:
    def __init__(self, executor: Executor, clock: Clock) -> None:
        self._executor = executor
        self._clock = clock
        self._known: dict[tuple[int, ...], tuple[float, Capabilities]] = {}

    async def of(self, scope: Scope) -> Capabilities:
        """Returns the features that the scope's tables have. Raises what Executor.run raises."""
        now = self._clock.monotonic()
        known = self._known.get(scope.lanes)
        if known is not None and now - known[0] < KEPT_SECONDS:
            return known[1]
        (kinds,) = (await self._executor.run(select_index_kinds(scope))).rows
        # A table that is being switched to another profile has both indexes, on different parts.
        finds_words = kinds.text_indexes == len(scope.lanes) and kinds.token_filters == 0
        found = Capabilities(finds_words, kinds.is_lazy, scope.shards)
        self._known[scope.lanes] = (now, found)
        return found
