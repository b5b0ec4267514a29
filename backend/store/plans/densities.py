"""Remembers how dense the matches of a filter were, so that a search that is repeated needs fewer windows."""

import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from backend.store.order import Order
from backend.store.query import Query
from kit.clock import Clock

KEPT_SECONDS: Final = 300.0
KEPT: Final = 2_000

_Key = tuple[int, Order, str, tuple[tuple[str, str | int | float], ...]]


@dataclass(frozen=True, slots=True)
class Density:
    """Number of matches that a page found, the nanoseconds of time that it looked into, and what ClickHouse took."""

    matches: int
    span_ns: int
    elapsed_ms: float

    def span_of(self, matches: float) -> float:
        """Returns the nanoseconds that hold so many matches; infinity where no match was found."""
        return self.span_ns * matches / self.matches if self.matches else math.inf

    def span_in(self, milliseconds: float) -> float:
        """Returns the nanoseconds that ClickHouse looks into in so many milliseconds."""
        return self.span_ns * milliseconds / max(self.elapsed_ms, 1.0)


class Densities:
    """The density that each filter of a tenant had last. For one event loop.

    Pages of one search, refreshes of a view and tries of the same words have the same filter.
    """

    def __init__(self, clock: Clock, kept_seconds: float = KEPT_SECONDS) -> None:
        self._clock = clock
        self._kept_seconds = kept_seconds
        self._known: OrderedDict[_Key, tuple[float, Density]] = OrderedDict()

    def of(self, query: Query) -> Density | None:
        """Returns the density that the query's filter had less than `kept_seconds` ago."""
        known = self._known.get(_key(query))
        return known[1] if known is not None and self._clock.monotonic() - known[0] < self._kept_seconds else None

    def keep(self, query: Query, density: Density) -> None:
        """Remembers the density of the query's filter. Ignores one of no time at all."""
        if density.span_ns <= 0:
            return
        key = _key(query)
        self._known[key] = (self._clock.monotonic(), density)
        self._known.move_to_end(key)
        if len(self._known) > KEPT:
            self._known.popitem(last=False)


def _key(query: Query) -> _Key:
    matching = query.matching
    return query.scope.tenant_id, query.order, matching.sql, tuple(matching.parameters.items())
