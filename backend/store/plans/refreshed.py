"""Keeps answers of the log store that only decide how a page is read, and asks for them again behind searches."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from kit.clock import Clock
from kit.errors import LogsieveError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Lives:
    """Seconds for which a value is taken as it is, and for which it is taken while it is asked for again."""

    fresh: float
    stale: float


class Refreshed(Generic[K, V]):
    """The newest `kept` values by key. For one event loop.

    A search waits for a value only where none is known that is younger than `lives.stale`.
    """

    def __init__(self, ask: Callable[[K], Awaitable[V]], lives: Lives, kept: int, clock: Clock) -> None:
        self._ask = ask
        self._lives = lives
        self._kept = kept
        self._clock = clock
        self._known: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._asking: dict[K, asyncio.Task[None]] = {}

    async def of(self, key: K, instead: K | None = None) -> V:
        """Returns the value of the key. Where it is not known, a known value of `instead` serves for this time.

        Raises what `ask` raises, where the search has to wait for the value.
        """
        known = self._young(key)
        if known is None and instead is not None:
            known = self._young(instead)
            is_fresh = False
        else:
            is_fresh = known is not None and self._clock.monotonic() - known[0] < self._lives.fresh
        if known is None:
            return await self._asked(key)
        if not is_fresh and key not in self._asking:
            task = asyncio.create_task(self._ask_behind(key), name="refresh-plans")
            self._asking[key] = task
        return known[1]

    def _young(self, key: K) -> tuple[float, V] | None:
        known = self._known.get(key)
        return known if known is not None and self._clock.monotonic() - known[0] < self._lives.stale else None

    async def _asked(self, key: K) -> V:
        asked_at = self._clock.monotonic()
        value = await self._ask(key)
        self._known[key] = (asked_at, value)
        self._known.move_to_end(key)
        if len(self._known) > self._kept:
            self._known.popitem(last=False)
        return value

    async def _ask_behind(self, key: K) -> None:
        try:
            await self._asked(key)
        except LogsieveError:
            # The next search tries again. Once the value is too old, the error reaches a search.
            pass
        finally:
            del self._asking[key]
