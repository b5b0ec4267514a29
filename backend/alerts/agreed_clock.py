"""The clock of an alert worker, which is never ahead of ClickHouse's clock.

A worker whose clock is ahead would evaluate ranges that have not ended. Logs that arrive later in such a range would
never be evaluated, `no_data` would fire, and firing groups would be resolved.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final

from backend.store.rows import Rows
from backend.store.statement import SystemStatement, only_value
from kit.clock import CLOCKS_APART_NS, Clock
from kit.errors import Conflict

COMPARISON_SECONDS: Final = 10.0
"""Seconds between two comparisons of the machine's clock with ClickHouse's."""

CLICKHOUSE_TIME: Final[SystemStatement[int]] = SystemStatement("toUnixTimestamp64Nano(now64(9))", only_value)
"""Reads the time of a ClickHouse server, in nanoseconds since the Unix epoch."""


class AgreedClock:
    """The machine's clock, set back to ClickHouse's clock if it is ahead."""

    def __init__(self, clock: Clock, run: Callable[[SystemStatement[int]], Awaitable[Rows[int]]]) -> None:
        """`run` runs a statement in ClickHouse, without a queue."""
        self._clock = clock
        self._run = run
        self._ahead_ns = 0
        """Nanoseconds by which the machine's clock was ahead in the last comparison."""

    def now_ns(self) -> int:
        """Returns the wall-clock time in nanoseconds since the Unix epoch. It may go back after a comparison."""
        return self._clock.now_ns() - self._ahead_ns

    def monotonic(self) -> float:
        """Returns the machine's monotonic time in seconds."""
        return self._clock.monotonic()

    async def refresh(self) -> None:
        """Compares the clocks. If ClickHouse does not answer, raises what `run` raises, and the last difference counts.

        Raises Conflict if the clocks differ by more than CLOCKS_APART. This clock is not ahead of ClickHouse's then
        either.
        """
        # The time before the statement, so that a slow answer does not look like a clock that is ahead.
        ours_ns = self._clock.now_ns()
        theirs_ns = (await self._run(CLICKHOUSE_TIME)).rows[0]
        self._ahead_ns = max(0, ours_ns - theirs_ns)
        if abs(ours_ns - theirs_ns) > CLOCKS_APART_NS:
            ours, theirs = (datetime.fromtimestamp(each / 1e9, UTC) for each in (ours_ns, theirs_ns))
            raise Conflict(
                f"this machine's clock says {ours:%Y-%m-%d %H:%M} and ClickHouse's {theirs:%Y-%m-%d %H:%M}: alert rules"
                " are evaluated by the slower clock; set both clocks, for example by NTP"
            )
