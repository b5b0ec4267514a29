"""A stretch of time with or without an attack, and what the victims felt meanwhile."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clock import Clock
from loadtest.hostile.footprint import Footprint, FootprintWatch
from loadtest.hostile.searchable import SearchableWatch
from loadtest.hostile.victim import Felt, Victim
from loadtest.services import Services

SEEN_SECONDS: Final = 45.0
"""Seconds after a stretch within which the last records of it must be found, or their delay is infinite."""

LONGEST_SECONDS: Final = 90.0
"""Seconds that victims are watched at most because an attack has not ended."""


@dataclass(frozen=True, slots=True)
class Felts:
    """What one victim felt in a stretch, in seconds: of exports and searches until the answer, of delays from
    acknowledged to searchable."""

    exports: tuple[float, ...]
    searches: tuple[float, ...]
    delays: tuple[float, ...]

    @property
    def refused(self) -> int:
        """Exports and searches that were refused or failed."""
        return sum(1 for each in (*self.exports, *self.searches) if each == inf)

    def and_later(self, other: "Felts") -> "Felts":
        return Felts(self.exports + other.exports, self.searches + other.searches, self.delays + other.delays)


@dataclass(frozen=True, slots=True)
class Phase:
    """By victim, and what the stack's processes held."""

    felt: Mapping[str, Felts]
    footprint: Footprint


class Stage:
    """The victims, and everything that watches them."""

    def __init__(
        self, victims: Mapping[str, Victim], services: Services, shards: Sequence[Client], clock: Clock
    ) -> None:
        self._victims = victims
        self._services = services
        self._shards = shards
        self._clock = clock

    def alone(self, seconds: float) -> Phase:
        """Without an attack."""
        return self._observe(lambda passed: passed >= seconds)

    def beside(self, seconds: float, begin: Callable[[], None], ended: Callable[[], bool]) -> Phase:
        """For `seconds` from the moment the attack has begun, and on until it has ended."""
        return self._observe(lambda passed: passed >= seconds and (ended() or passed >= LONGEST_SECONDS), begin)

    def _observe(self, over: Callable[[float], bool], begin: Callable[[], None] = lambda: None) -> Phase:
        lanes = {each.sender.tenant_id: each.sender.lane for each in self._victims.values()}
        watch = SearchableWatch(self._shards, lanes, self._clock)
        memory = FootprintWatch(self._services)
        watch.start()
        begin()
        began = self._clock.monotonic()
        try:
            with ThreadPoolExecutor(len(self._victims), thread_name_prefix="victims") as pool:
                living = {
                    name: pool.submit(victim.live, lambda: over(self._clock.monotonic() - began), watch.acknowledged)
                    for name, victim in self._victims.items()
                }
            felt = {name: future.result() for name, future in living.items()}
        finally:
            watch.stop(SEEN_SECONDS)
        return Phase(
            {name: _felts(felt[name], watch.delays[self._victims[name].sender.tenant_id]) for name in felt},
            memory.end(),
        )


def _felts(felt: Felt, delays: list[float]) -> Felts:
    return Felts(tuple(felt.exports), tuple(felt.searches), tuple(delays))
