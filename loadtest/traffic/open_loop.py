"""Begins calls on a schedule, however long earlier calls take.

A closed loop, in which each client waits for its last answer, would send less to a slow server and hide its delays.
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from kit.clock import Clock

Call = Callable[[float], None]
"""A call. Its argument is the time at which it was due, in monotonic seconds."""


def on_schedule(calls: Iterable[tuple[float, Call]], clock: Clock, threads: int) -> None:
    """Begins each call at its time in seconds after the start. Returns when all calls have ended.

    The next call is taken from `calls` before it is due, so that its preparation does not delay it. If `threads` calls
    are in progress, a further call starts when one of them ends. Raises the error of a call that failed.
    """
    started = clock.monotonic()
    under_way: list[Future[None]] = []
    with ThreadPoolExecutor(threads, thread_name_prefix="schedule") as pool:
        for after, call in calls:
            due = started + after
            time.sleep(max(0.0, due - clock.monotonic()))
            under_way = [each for each in under_way if not _ended(each)]
            under_way.append(pool.submit(call, due))
        for each in under_way:
            each.result()


def _ended(call: Future[None]) -> bool:
    """Returns whether a call has ended. Raises the call's error if it failed."""
    if call.done():
        call.result()
    return call.done()
