"""The log tables of a scope, as the key of cached values about them."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self, TypeVar

from backend.store.execute import Executor, RunsInSlot
from backend.store.scope import Scope
from backend.store.together import each_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LogTables:
    """The log tables of these lanes on these shards. Searches of all tenants that read them share the values."""

    lanes: tuple[int, ...]
    shards: tuple[int, ...]
    scope: Scope = field(compare=False)
    """Scope of the search that needs the value. Statements over it read the value."""

    @classmethod
    def of(cls, scope: Scope) -> Self:
        """Returns the tables of a scope."""
        return cls(scope.lanes, scope.shards, scope)

    async def read(self, executor: Executor, read: Callable[[RunsInSlot, Scope], Coroutine[Any, Any, T]]) -> list[T]:
        """Returns what `read` returns for each table, given as a scope over the table alone. All tables are read in one
        slot, at most AT_ONCE of them at the same time. Raises what `read` raises, and RateLimited."""
        async with executor.slot(self.scope.tenant_id) as held:
            return await each_of(self.scope.of_each_table, partial(read, held))
