"""Caches answers of the log store that affect only how a page is read, and refreshes them in the background."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from cachetools import LRUCache

from kit.clock import Clock
from kit.errors import LogsieveError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class MaxAges:
    """Largest ages of a cached value in seconds.

    Below `fresh`, the value is used as it is. Below `stale`, it is used while it is refreshed in the background.
    """

    fresh: float
    stale: float


class Refreshed(Generic[K, V]):
    """Caches the `kept` most recently used values by key. Use it from one event loop only.

    A search waits for a value only if no cached value is younger than `max_ages.stale`.
    """

    def __init__(self, read: Callable[[K], Awaitable[V]], max_ages: MaxAges, kept: int, clock: Clock) -> None:
        self._read = read
        self._max_ages = max_ages
        self._clock = clock
        self._known: LRUCache[K, tuple[float, V]] = LRUCache(kept)
        self._refreshing: dict[K, asyncio.Task[None]] = {}
        self._reading: dict[tuple[int, K], asyncio.Task[V]] = {}
        """Reads that searches wait for, by tenant and key. Tenants do not wait for each other's reads, because a read
        waits for a slot of its tenant."""

    async def of(self, key: K, tenant_id: int, instead: K | None = None) -> V:
        """Returns the cached value of the key. If there is none, returns the cached value of the key `instead`, and
        reads the value of `key` in the background. If there is none either, waits for the value of `key`, and raises
        what `read` raises. Concurrent searches of a tenant wait for the same read.
        """
        known = self._young(key)
        if known is None and instead is not None:
            known = self._young(instead)
            is_fresh = False
        else:
            is_fresh = known is not None and self._clock.monotonic() - known[0] < self._max_ages.fresh
        if known is None:
            return await self._read_shared(key, tenant_id)
        if not is_fresh and key not in self._refreshing:
            self._refreshing[key] = asyncio.create_task(self._refresh(key), name="refresh-plans")
        return known[1]

    def _young(self, key: K) -> tuple[float, V] | None:
        known = self._known.get(key)
        return known if known is not None and self._clock.monotonic() - known[0] < self._max_ages.stale else None

    async def _read_shared(self, key: K, tenant_id: int) -> V:
        place = tenant_id, key
        reading = self._reading.get(place)
        if reading is None:
            reading = self._reading[place] = asyncio.create_task(self._read_now(key), name="read-plans")
            reading.add_done_callback(partial(self._ended, place))
        # A search that is cancelled does not end the read for the others.
        return await asyncio.shield(reading)

    def _ended(self, place: tuple[int, K], reading: asyncio.Task[V]) -> None:
        del self._reading[place]
        if not reading.cancelled():
            # Reads the error, because asyncio logs it otherwise when every search was cancelled.
            reading.exception()

    async def _read_now(self, key: K) -> V:
        requested_at = self._clock.monotonic()
        value = await self._read(key)
        self._known[key] = (requested_at, value)
        return value

    async def _refresh(self, key: K) -> None:
        try:
            await self._read_now(key)
        except LogsieveError:
            # The next search tries again. Once the value is too old, the error reaches a search.
            pass
        finally:
            del self._refreshing[key]
