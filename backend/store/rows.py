"""The answer to one statement: typed rows and their cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, Self, TypeVar

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Cost:
    """Work that ClickHouse did for one or more statements."""

    elapsed_ms: float = 0.0
    rows_read: int = 0
    bytes_read: int = 0
    rows_selected: int = 0
    """Number of rows that the indexes left to be read."""
    windows: int = 1
    """Number of windows of time that were read."""

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            elapsed_ms=self.elapsed_ms + other.elapsed_ms,
            rows_read=self.rows_read + other.rows_read,
            bytes_read=self.bytes_read + other.bytes_read,
            rows_selected=self.rows_selected + other.rows_selected,
            windows=self.windows + other.windows,
        )


NO_COST: Final = Cost(windows=0)


def cost_of_phases(*phases: Cost) -> Cost:
    """Returns the cost of several statements that read the same rows of one window one after another."""
    total = sum(phases, NO_COST)
    return replace(total, rows_selected=max(phase.rows_selected for phase in phases), windows=1)


def cost_of_shards(costs: Sequence[Cost]) -> Cost:
    """Returns the cost of reading the same window on several shards at the same time."""
    total = sum(costs, NO_COST)
    return replace(total, elapsed_ms=max(cost.elapsed_ms for cost in costs), windows=1)


@dataclass(frozen=True, slots=True)
class Rows(Generic[R]):
    """Rows as their statement makes them, and their cost."""

    rows: Sequence[R]
    cost: Cost
    query_id: str = ""
    """Name under which ClickHouse's query_log has the statement."""
