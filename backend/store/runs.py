"""The interfaces by which plans run statements, and a recorder of the statements of one page."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
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


class SlotRuns(Runs, Protocol):
    """Runs statements in slots of a queue: each in its own slot, or statements over several shards in one slot."""

    def slot(self, tenant_id: int, /) -> AbstractAsyncContextManager[Runs]:
        """Holds one slot for the block, whose statements run in it without waiting (Executor.slot)."""
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

    @property
    def shard(self) -> int:
        """Number of the shard that the statement read."""
        return self.statement.shards[0]


class Recorder:
    """Runs statements like its executor, and records each finished statement, in order."""

    def __init__(self, executor: SlotRuns, clock: Clock) -> None:
        self._executor = executor
        self._clock = clock
        self._recorded = _Recorded(executor, clock)

    @property
    def ran(self) -> Sequence[Ran]:
        """The statements that have finished so far."""
        return self._recorded.ran

    async def run(self, statement: Statement[R], /) -> Rows[R]:
        """Returns the whole answer. Raises what Executor.run raises."""
        return await self._recorded.run(statement)

    @asynccontextmanager
    async def slot(self, tenant_id: int, /) -> AsyncIterator[Runs]:
        """Holds one slot of the executor for the block. Its statements are recorded too."""
        started = self._clock.monotonic()
        async with self._executor.slot(tenant_id) as held:
            yield _Recorded(held, self._clock, self._recorded.ran, started)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """Runs statements by `runs` and adds each finished statement to `ran`."""

    runs: Runs
    clock: Clock
    ran: list[Ran] = field(default_factory=list)
    waited_from: float | None = None
    """Second at which the wait for the slot of these statements began; None if each waits for its own slot."""
    waited: set[int] = field(default_factory=set)
    """Shards of which a statement ran in the slot. The wait counts for the first statement of each shard."""

    async def run(self, statement: Statement[R], /) -> Rows[R]:
        started, shard = self.clock.monotonic(), statement.shards[0]
        if self.waited_from is not None and shard not in self.waited:
            started = self.waited_from
        self.waited.add(shard)
        found = await self.runs.run(statement)
        answered_ms = 1_000 * (self.clock.monotonic() - started)
        self.ran.append(Ran(statement, found.cost, len(found.rows), found.query_id, answered_ms))
        return found
