"""Begins something at a fixed rate whatever earlier ones take: a slow server is not spared, as a closed loop would."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from kit.clock import Clock

THREADS: Final = 16
"""Calls under way at once. A server that is slower than so many makes later ones late, which counts as their delay."""


def by_the_clock(
    rate: float, until: Callable[[], bool], clock: Clock, prepare: Callable[[], Callable[[float], None]]
) -> None:
    """`rate` calls a second until told to stop; returns when all have ended, or raises what one of them raised.

    What `prepare` returns is called in a thread with the moment it was due, in monotonic seconds.
    """
    began = clock.monotonic()
    under_way: list[Future[None]] = []
    with ThreadPoolExecutor(THREADS, thread_name_prefix="victim") as pool:
        while not until():
            # Before its time: what that costs is not the server's delay.
            act = prepare()
            due = began + len(under_way) / rate
            time.sleep(max(0.0, due - clock.monotonic()))
            under_way.append(pool.submit(act, due))
    for future in under_way:
        future.result()
