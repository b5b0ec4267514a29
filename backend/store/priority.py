"""Divides ClickHouse's processors between tenants: concurrent statements, and threads and priority of each statement.

A tenant without other active tenants gets all that it requests. Otherwise a heavy tenant, one with many more running
statements than the others, gets half of the processors, and one thread for each statement (backend/store/use.py).
ClickHouse cannot share its time fairly by itself (docs/operations/searches.md). The more threads run, the longer
receiver, broker and loader wait for a processor of the same machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

BURST: Final = 4
"""Number of statements of one tenant that run at the highest priority.

A page of the web UI sends this many at the same time.
"""

WAIT_MS: Final = 50
"""Longest time, in milliseconds, that a block of a statement waits for statements of higher priority.

ClickHouse's default of a second would let waiting statements run into their time limit.
"""

MAX_DIVISOR: Final = 8
"""Largest number by which the limits on a statement's memory and answer are divided. They are divided by the number of
the tenant's running statements, but at most by this number."""

EXPORT: Final[Mapping[str, int]] = {"priority": 3, "low_priority_query_wait_time_ms": WAIT_MS}
"""Settings of an export, which has lower priority than all statements for which a user waits."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A tenant's load compared with other tenants. `is_heavy`: it has many more running statements than they have."""

    has_others: bool = False
    is_heavy: bool = False


ALONE: Final = Standing()


def at_once(limit: int, standing: Standing, processors: int) -> int:
    """Returns the number of statements that a tenant may run concurrently; `limit` is its limit."""
    if standing.is_heavy:
        return min(limit, max(1, processors // 2))
    return min(limit, max(BURST, processors)) if standing.has_others else limit


def divided_limit(running: int, limit: int) -> int:
    """Returns the limit in bytes, on memory or on the answer, of each statement of a tenant that has `running`
    statements. `limit` is the limit of a statement that runs alone.

    Without this, many large statements of one tenant could use up the memory of the server or of the API process.
    ClickHouse would then refuse the next statement or insert of any tenant, and the API would be killed.
    The result is at least 1, because ClickHouse takes 0 for no limit.
    """
    return max(1, limit // min(running, MAX_DIVISOR))


def share_of(running: int, standing: Standing, processors: int) -> Mapping[str, int]:
    """Returns ClickHouse's settings for a statement. `running` counts its tenant's statements, with this one."""
    if running > BURST or standing.is_heavy:
        # One thread, because ClickHouse cannot interrupt a granule, and a granule may take long, for instance for a
        # regular expression with many states.
        return {"priority": 2, "low_priority_query_wait_time_ms": WAIT_MS, "max_threads": 1}
    if standing.has_others:
        return {"priority": 1, "max_threads": max(1, processors // running)}
    return {"priority": 1}
