"""Waiting times between tries."""

from collections.abc import Iterator

FIRST_SECONDS = 0.1
LAST_SECONDS = 5.0


def delays() -> Iterator[float]:
    """Seconds to wait before each further try, without end. One loader owns a partition, so there is no jitter."""
    delay = FIRST_SECONDS
    while True:
        yield delay
        delay = min(delay * 2, LAST_SECONDS)
