"""Divides ClickHouse's processors between tenants: statements at once, and threads and priority of each.

A tenant that is alone gets all it asks for. Beside others, a tenant that has much more running than they have gets half
of the processors, one thread a statement: ClickHouse cannot be told to share its time fairly (docs/operations.md), and
the more threads run, the longer receiver, broker and loader wait for a processor of the same machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

BURST: Final = 4
"""Statements of one tenant that run at the highest priority: what a page of the web UI asks at once."""

WAIT_MS: Final = 50
"""Longest that a block of a statement of lower priority waits, in milliseconds: it goes on however busy others are.
ClickHouse's own default of a second would let statements of lower priority run into their limit of time."""

LEAST_MEMORY_SHARE: Final = 8
"""Largest divisor of a statement's memory: statements of one tenant from this number on get equal parts."""

EXPORT: Final[Mapping[str, int]] = {"priority": 3, "low_priority_query_wait_time_ms": WAIT_MS}
"""An export comes behind everything that somebody waits for."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A tenant's place among others: whether others ask too, and whether it has much more running than they have."""

    has_others: bool = False
    is_heavy: bool = False


ALONE: Final = Standing()


def at_once(most: int, standing: Standing, processors: int) -> int:
    """Statements that a tenant may have running; `most` is its limit."""
    if standing.is_heavy:
        return min(most, max(1, processors // 2))
    return min(most, max(BURST, processors)) if standing.has_others else most


def memory_of(running: int, most: int) -> int:
    """Bytes of memory that ClickHouse gives a statement; `most` is the limit of one alone.

    Many hungry statements of one tenant would use up the server's memory together, and ClickHouse then refuses whatever
    statement or insert asks for more next.
    """
    return most // min(running, LEAST_MEMORY_SHARE)


def share_of(running: int, standing: Standing, processors: int) -> Mapping[str, int]:
    """ClickHouse's settings for a statement; `running` counts those of its tenant, with this one."""
    if running > BURST or standing.is_heavy:
        # One thread: what a granule costs, such as a regular expression of many states, cannot be interrupted.
        return {"priority": 2, "low_priority_query_wait_time_ms": WAIT_MS, "max_threads": 1}
    if standing.has_others:
        return {"priority": 1, "max_threads": max(1, processors // running)}
    return {"priority": 1}
