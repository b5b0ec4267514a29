"""Pauses between retries."""

from collections.abc import Iterator

FIRST_SECONDS = 0.1
LAST_SECONDS = 5.0


def delays() -> Iterator[float]:
    """Yields the seconds to wait before each retry, without end. There is no jitter, because one loader owns a
    partition."""
    delay = FIRST_SECONDS
    while True:
        yield delay
        delay = min(delay * 2, LAST_SECONDS)
