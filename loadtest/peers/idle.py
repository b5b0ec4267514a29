"""Waits until sides have no work left: before a question, and after all records were sent."""

import time
from collections.abc import Callable
from typing import Final

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.log_store import MERGES_QUIET_SECONDS
from loadtest.peers.side import Side
from loadtest.process_stat import cpu_seconds

_IDLE_POLL_SECONDS: Final = 0.2
_IDLE_SHARE: Final = 0.25
"""Share of one processor up to which all sides together count as idle, because servers poll their queues."""
_LONGEST_BUSY_SECONDS: Final = 30.0
_LOST_SECONDS: Final = 60.0
"""Seconds without work and without a new record after which missing records count as lost."""
_LONGEST_SECONDS: Final = 3_600.0
_POLL_SECONDS: Final = 0.25
_COUNTS: Final = 20
"""Largest number of counts of all records that are made to measure the cost of one."""
_COUNTS_SECONDS: Final = 0.5
"""CPU seconds of counts that are enough to measure the cost of one, because the kernel counts in steps of 0.01 s."""


def wait_until_quiet(used: Callable[[], float], clock: Clock, pause: Callable[[float], None] = time.sleep) -> bool:
    """Waits until the sides are idle. Returns false if they are not after 30 s.

    `used` returns the CPU seconds that the sides have used so far.
    """
    started = last = clock.monotonic()
    before = used()
    while last - started < _LONGEST_BUSY_SECONDS:
        pause(_IDLE_POLL_SECONDS)
        now, after = clock.monotonic(), used()
        if after - before <= _IDLE_SHARE * (now - last):
            return True
        last, before = now, after
    return False


def wait_until_settled(
    side: Side, sent: int, clock: Clock, pause: Callable[[float], None] = time.sleep
) -> tuple[float, int]:
    """Waits until a side has stored `sent` records and has nothing left to merge, flush or send.

    Records are counted until all are found, and again at the end, because some sides store records twice later.
    If records are missing, waits until they count as lost.
    Returns the seconds until a search found the last record, and the number of counts.
    Raises Unavailable if the side still works after `_LONGEST_SECONDS`.
    """
    started = quiet_since = found_at = clock.monotonic()
    found, counts = -1, 0
    side.flush()
    while True:
        working, idle = side.working(), clock.monotonic() - quiet_since
        enough = idle >= (MERGES_QUIET_SECONDS if found >= sent else _LOST_SECONDS)
        if found < sent or enough:
            counts += 1
            count = side.count()
            if enough and not working and count == found:
                return found_at - started, counts
            if count != found and found < sent:
                found_at = clock.monotonic()
            working |= count != found
            found = count
        now = clock.monotonic()
        if working:
            quiet_since = now
        if now - started > _LONGEST_SECONDS:
            raise Unavailable(f"{side.name} works after {_LONGEST_SECONDS:g} s, {found} of {sent} records are found")
        pause(_POLL_SECONDS)


def count_seconds(side: Side) -> dict[str, float]:
    """Returns the CPU seconds that a count of all records costs each process of an idle side, by name."""
    before = cpu_seconds(side.pids)
    counts, used = 0, dict.fromkeys(before, 0.0)
    while counts < _COUNTS and sum(used.values()) < _COUNTS_SECONDS:
        side.count()
        counts += 1
        used = {name: seconds - before[name] for name, seconds in cpu_seconds(side.pids).items()}
    return {name: seconds / counts for name, seconds in used.items()}
