"""Waits for conditions that other processes bring about."""

import time
from collections.abc import Callable

SECONDS = 30.0


def eventually(condition: Callable[[], bool], what: str, seconds: float = SECONDS) -> None:
    """Waits until the condition holds. Fails with `what` in its text if it does not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.1)
