"""A stretch of time with or without an attack, and what the victims felt meanwhile."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clock import Clock
from loadtest.freshness.watch import SearchableWatch
from loadtest.hostile.footprint import Footprint, FootprintWatch
from loadtest.hostile.victim import Felts, Victim
from loadtest.services import Services

SEEN_SECONDS: Final = 45.0
"""Seconds after a stretch within which the last records of it must be found, or their delay is infinite."""

LONGEST_SECONDS: Final = 90.0
"""Seconds that victims are watched at most because an attack has not ended."""

_POLL_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True)
class Phase:
    """Times that each victim felt, by name, and memory of the stack's processes."""

    felt: Mapping[str, Felts]
    footprint: Footprint


class Stage:
    """The victims and their watches. No other code may use the clients of the shards meanwhile."""

    def __init__(
        self, victims: Mapping[str, Victim], services: Services, shards: Sequence[Client], clock: Clock
    ) -> None:
        self._victims = victims
        self._services = services
        self._shards = shards
        self._clock = clock

    def alone(self, seconds: float) -> Phase:
        """Watches the victims without an attack."""
        return self._observe(lambda passed: passed >= seconds)

    def beside(self, seconds: float, begin: Callable[[], None], ended: Callable[[], bool]) -> Phase:
        """Watches for `seconds` from the beginning of the attack, and longer if the attack has not ended."""
        return self._observe(lambda passed: passed >= seconds and (ended() or passed >= LONGEST_SECONDS), begin)

    def _observe(self, over: Callable[[float], bool], begin: Callable[[], None] = lambda: None) -> Phase:
        # ClickHouse may refuse a question while it is attacked, and the study goes on.
        watch = SearchableWatch(self._shards, self._clock, _POLL_SECONDS, tolerant=True)
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
        names = {victim.sender.tenant_id: name for name, victim in self._victims.items()}
        for answer, delay in watch.delays:
            felt[names[answer.sender.tenant_id]].delays.append(delay)
        return Phase(felt, memory.end())
