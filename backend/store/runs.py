"""The interface by which plans run statements, and a recorder of the statements of one page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from backend.store.rows import Cost, Rows
from backend.store.statement import Statement
from kit.clock import Clock

R = TypeVar("R")


class Runs(Protocol):
    """Runs statements over the rows of a scope."""

    async def run(self, statement: Statement[R], /) -> Rows[R]:
        """Returns the whole answer. Raises what Executor.run raises."""
        ...


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished statement: its cost, its number of rows, and its name in ClickHouse's query_log."""

    statement: Statement[Any]
    cost: Cost
    rows: int
    query_id: str
    answered_ms: float
    """Milliseconds from the call to the rows: the wait for a slot, ClickHouse, the network and reading the answer."""


class Recorder:
    """Runs statements like its executor, and records each finished statement, in order."""

    def __init__(self, executor: Runs, clock: Clock) -> None:
        self._executor = executor
        self._clock = clock
        self._ran: list[Ran] = []

    @property
    def ran(self) -> Sequence[Ran]:
        """The statements that have finished so far."""
        return self._ran

    async def run(self, statement: Statement[R], /) -> Rows[R]:
        """Returns the whole answer. Raises what Executor.run raises."""
        started = self._clock.monotonic()
        found = await self._executor.run(statement)
        answered_ms = 1_000 * (self._clock.monotonic() - started)
        self._ran.append(Ran(statement, found.cost, len(found.rows), found.query_id, answered_ms))
        return found
