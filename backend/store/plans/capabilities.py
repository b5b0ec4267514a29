"""The indexes of a scope's tables and the abilities of their server, asked for at most once a minute."""

from dataclasses import dataclass
from typing import Final

from backend.store.execute import Executor
from backend.store.scope import Scope
from backend.store.select_indexes import select_index_kinds
from kit.clock import Clock

KEPT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Abilities that all tables of a scope have.

    `finds_words`: an inverted index says which rows have a word (profile `text`); without it a token filter per
    granule says which granules may have it. `is_lazy`: the server fetches wide columns for a page's rows only (lazy
    materialization, ClickHouse 25.4), where it reads one shard.
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
        """Raises what Executor.run raises."""
        now = self._clock.monotonic()
        known = self._known.get(scope.lanes)
        if known is not None and now - known[0] < KEPT_SECONDS:
            return known[1]
        (kinds,) = (await self._executor.run(select_index_kinds(scope))).rows
        # While a table is switched to another profile it has both, on different parts.
        finds_words = kinds.text_indexes == len(scope.lanes) and kinds.token_filters == 0
        found = Capabilities(finds_words, kinds.is_lazy, scope.shards)
        self._known[scope.lanes] = (now, found)
        return found
