"""Begins calls on a schedule whatever earlier ones take: a slow server is not spared, as a closed loop would."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from kit.clock import Clock

Call = Callable[[float], None]
"""Takes the moment it was due, in monotonic seconds."""


def on_schedule(calls: Iterable[tuple[float, Call]], clock: Clock, threads: int) -> None:
    """Begins each call so many seconds after the start as stand beside it; returns when all have ended.

    The next call is taken from `calls` before its time, so that what it costs to prepare is not the server's delay. A
    server that is slower than `threads` calls at once makes later ones late. Raises what one of the calls raised.
    """
    began = clock.monotonic()
    under_way: list[Future[None]] = []
    with ThreadPoolExecutor(threads, thread_name_prefix="schedule") as pool:
        for after, call in calls:
            due = began + after
            time.sleep(max(0.0, due - clock.monotonic()))
            under_way = [each for each in under_way if not _ended(each)]
            under_way.append(pool.submit(call, due))
        for each in under_way:
            each.result()


def _ended(call: Future[None]) -> bool:
    """Returns whether a call is over; raises what it raised."""
    if call.done():
        call.result()
    return call.done()
