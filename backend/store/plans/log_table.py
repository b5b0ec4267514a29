"""The log table of a lane on one shard, as the key of cached values about it."""

from dataclasses import dataclass, field

from backend.store.scope import Scope


@dataclass(frozen=True, slots=True)
class LogTable:
    """One log table. Searches of all tenants of the lane share its cached values."""

    lane: int
    shard: int
    scope: Scope = field(compare=False)
    """Scope of the search that needs the cached value, over this table. A statement over it reads the value."""


def log_tables(scope: Scope) -> list[LogTable]:
    """Returns all log tables of a scope."""
    return [LogTable(each.lanes[0], each.shards[0], each) for each in scope.of_each_table]
