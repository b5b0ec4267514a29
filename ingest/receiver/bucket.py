"""A token bucket that is paid afterwards."""

from kit.clock import Clock


class TokenBucket:
    """Token bucket that lets requests pass while it is not empty, and then takes their size, even below zero.

    So a tenant over its limit can be refused before its request is read or decoded, and the average over time is
    exactly the rate. A request larger than the whole bucket passes once the bucket is not empty.
    """

    def __init__(self, rate: float, burst_seconds: float, clock: Clock) -> None:
        """Starts full: `rate` tokens a second, and as many as `burst_seconds` bring at most."""
        self._rate = rate
        self._most = rate * burst_seconds
        self._clock = clock
        self._level = self._most
        self._at = clock.monotonic()

    def wait(self) -> float:
        """Seconds until something may pass; 0 when it may pass now."""
        now = self._clock.monotonic()
        self._level = min(self._most, self._level + (now - self._at) * self._rate)
        self._at = now
        return 0.0 if self._level > 0 else max(-self._level / self._rate, MIN_WAIT_SECONDS)

    def take(self, tokens: float) -> None:
        self._level -= tokens


MIN_WAIT_SECONDS = 0.001
"""Wait that an empty bucket without debt answers, in seconds. It is not 0, because 0 means that a request may pass."""
