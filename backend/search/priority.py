"""What a statement gets of ClickHouse's processors, by how many statements its tenant has running already.

The first few statements of every tenant come before all others: ClickHouse makes a statement of a lower priority wait
after each block while one of a higher priority runs. So a tenant that runs all it may takes time from itself first.
"""

from collections.abc import Mapping
from typing import Final

BURST: Final = 4
"""Statements of one tenant that run at the highest priority: what a page of the web UI asks at once."""

WAIT_MS: Final = 50
"""Longest that a block of a statement of lower priority waits, in milliseconds: it goes on however busy others are.
ClickHouse's own default of a second would let statements of lower priority run into their limit of time."""

EXPORT: Final[Mapping[str, int]] = {"priority": 3, "low_priority_query_wait_time_ms": WAIT_MS}
"""An export comes behind everything that somebody waits for."""


def share_of(running: int) -> Mapping[str, int]:
    """ClickHouse's settings for a statement; `running` counts those of its tenant, with this one."""
    if running <= BURST:
        return {"priority": 1}
    # One thread: what a granule costs, such as a regular expression of many states, cannot be interrupted.
    return {"priority": 2, "low_priority_query_wait_time_ms": WAIT_MS, "max_threads": 1}
