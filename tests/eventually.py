"""Waits for conditions that other processes fulfil."""

import time
from collections.abc import Callable

SECONDS = 30.0


def eventually(condition: Callable[[], bool], what: str, seconds: float = SECONDS) -> None:
    """Waits until the condition holds. Fails the test with the text `what` if it does not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.1)
