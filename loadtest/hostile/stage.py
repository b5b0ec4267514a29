"""Watches the victims for a phase: a stretch of time with or without an attack."""

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
"""Seconds after a phase in which its last records must be found. The delay of later ones is infinite."""

LONGEST_SECONDS: Final = 90.0
"""Longest phase in seconds, if the attack does not end."""

_POLL_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True)
class Phase:
    """Measurements of a phase: the victims' times, by victim, and the memory of the stack's processes."""

    felt: Mapping[str, Felts]
    footprint: Footprint


class Stage:
    """Runs the victims and measures them. No other code may use the clients of `shards` during a phase."""

    def __init__(
        self, victims: Mapping[str, Victim], services: Services, shards: Sequence[Client], clock: Clock
    ) -> None:
        self._victims = victims
        self._services = services
        self._shards = shards
        self._clock = clock

    def alone(self, seconds: float) -> Phase:
        """Watches the victims for `seconds` without an attack."""
        return self._observe(lambda passed: passed >= seconds)

    def beside(self, seconds: float, start: Callable[[], None], ended: Callable[[], bool]) -> Phase:
        """Begins an attack and watches the victims for `seconds`, or until it ends, at most LONGEST_SECONDS."""
        return self._observe(lambda passed: passed >= seconds and (ended() or passed >= LONGEST_SECONDS), start)

    def _observe(self, over: Callable[[float], bool], start: Callable[[], None] = lambda: None) -> Phase:
        # The watch is tolerant, because ClickHouse may refuse queries during an attack.
        watch = SearchableWatch(self._shards, self._clock, _POLL_SECONDS, tolerant=True)
        memory = FootprintWatch(self._services)
        watch.start()
        start()
        started = self._clock.monotonic()
        try:
            with ThreadPoolExecutor(len(self._victims), thread_name_prefix="victims") as pool:
                living = {
                    name: pool.submit(victim.live, lambda: over(self._clock.monotonic() - started), watch.acknowledged)
                    for name, victim in self._victims.items()
                }
            felt = {name: future.result() for name, future in living.items()}
        finally:
            watch.stop(SEEN_SECONDS)
        names = {victim.sender.tenant_id: name for name, victim in self._victims.items()}
        for answer, delay in watch.delays:
            felt[names[answer.sender.tenant_id]].delays.append(delay)
        return Phase(felt, memory.end())
