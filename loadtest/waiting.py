"""Waits for a state of a stack by polling."""

import time
from collections.abc import Callable

from kit.clock import Clock
from kit.errors import LogsieveError, Unavailable

POLL_SECONDS = 0.05
WAIT_SECONDS = 300.0
"""Longest wait, in seconds, for a state that is usually reached within a minute, so that a run ends if it never is."""


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


def wait_until_succeeds(ask: Callable[[], object], seconds: float, failure: str, pause_seconds: float) -> None:
    """Repeats `ask` until it raises no LogsieveError, with `pause_seconds` between two tries.

    Raises Unavailable with the last error if it does not succeed within `seconds`. `failure` says what did not happen.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            ask()
        except LogsieveError as error:
            if time.monotonic() > deadline:
                raise Unavailable(f"{failure} within {seconds:g} s: {error.detail}") from error
            time.sleep(pause_seconds)
        else:
            return
