"""Waits for a state of a stack by polling."""

import time
from collections.abc import Callable

from kit.clock import Clock
from kit.errors import Unavailable

POLL_SECONDS = 0.05


def wait_until(
    reached: Callable[[], bool], clock: Clock, seconds: float, failure: str, pause_seconds: float = POLL_SECONDS
) -> None:
    """Polls `reached` until it returns true, with `pause_seconds` between two polls.

    Raises Unavailable if it does not within `seconds`. `failure` says what did not happen.
    """
    deadline = clock.monotonic() + seconds
    while not reached():
        if clock.monotonic() > deadline:
            raise Unavailable(f"{failure} within {seconds:g} s")
        time.sleep(pause_seconds)
