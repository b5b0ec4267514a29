"""Waits for what comes about in its own time."""

import time
from collections.abc import Callable

SECONDS = 30.0


def eventually(condition: Callable[[], bool], what: str, seconds: float = SECONDS) -> None:
    """Until the condition holds; fails naming `what` when it does not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.1)
