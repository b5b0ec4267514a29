"""Features of log tables that the process has learned, and that several services use."""

from dataclasses import dataclass
from typing import Self

from backend.store.execute import Executor
from backend.store.minute_counts import MinuteCounts
from backend.store.plans.capabilities import CapabilitiesOfTables
from kit.clock import Clock


@dataclass(frozen=True, slots=True)
class KnownTables:
    """Cached features of log tables."""

    capabilities: CapabilitiesOfTables
    minutes: MinuteCounts

    @classmethod
    def read_by(cls, executor: Executor, clock: Clock) -> Self:
        """Returns empty caches, whose values the executor reads."""
        return cls(CapabilitiesOfTables(executor, clock), MinuteCounts(executor, clock))
