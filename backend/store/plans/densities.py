"""Remembers how dense the matches of a filter were, so that a repeated search needs fewer windows."""

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from cachetools import TTLCache

from backend.store.order import Order
from backend.store.query import Query
from kit.clock import Clock

SLACK: Final = 1.5
"""Factor by which a window is longer than a page needs at the density of matches that was found last.

With two threads and several parts, ClickHouse reads most of a window before the page is full: a page of a phrase that
is tested in bodies takes a quarter less from 1.5 times the time than from twice. If a window is too short, one more
statement takes about 8 ms.
"""

KEPT_SECONDS: Final = 300.0
"""Seconds for which a density is cached."""
KEPT: Final = 2_000
"""Largest number of cached densities, of all tenants together."""

_DIGEST_BYTES: Final = 16

_Key = tuple[int, Order, bytes]
"""Tenant, order, and digest of the filter. The SQL and the parameters of a filter may have hundreds of kilobytes."""


@dataclass(frozen=True, slots=True)
class Density:
    """Matches that a page found, nanoseconds of the range that it searched, and milliseconds that ClickHouse took.

    `span_ns` may leave out the time after now, in which few records are. `matches` includes matches in that time,
    because the next search for the same words finds them as well.
    """

    matches: int
    span_ns: int
    elapsed_ms: float

    def span_of(self, matches: float) -> float:
        """Returns the nanoseconds of time that contain this number of matches; infinity if no match was found."""
        return self.span_ns * matches / self.matches if self.matches else math.inf

    def span_in(self, milliseconds: float) -> float:
        """Returns the nanoseconds of time that ClickHouse searches in this number of milliseconds."""
        return self.span_ns * milliseconds / max(self.elapsed_ms, 1.0)


class Densities:
    """Caches the last density of each filter of a tenant. Use it from one event loop only.

    Pages of one search, refreshes of a view and repeated searches for the same words have the same filter.
    """

    def __init__(self, clock: Clock, kept_seconds: float = KEPT_SECONDS) -> None:
        self._known: TTLCache[_Key, Density, float] = TTLCache(KEPT, kept_seconds, clock.monotonic)

    def of(self, query: Query) -> Density | None:
        """Returns the query's cached density if it is younger than `kept_seconds`, otherwise None."""
        return self._known.get(_key(query))

    def keep(self, query: Query, density: Density) -> None:
        """Caches the density of the query's filter. Ignores a density whose time span is empty."""
        if density.span_ns <= 0:
            return
        self._known[_key(query)] = density


def _key(query: Query) -> _Key:
    text = repr((query.matching.sql, tuple(query.matching.parameters.items())))
    return query.scope.tenant_id, query.order, blake2b(text.encode(), digest_size=_DIGEST_BYTES).digest()
