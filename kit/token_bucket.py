"""A token bucket that requests may overdraw."""

from kit.clock import Clock


class TokenBucket:
    """Token bucket that admits requests while it is not empty, and then takes their size, even below zero.

    So a tenant over its limit can be refused before its request is read or decoded, and the average over time is at
    most the rate. A request larger than the whole bucket passes once the bucket is not empty.
    """

    def __init__(self, rate: float, burst_seconds: float, clock: Clock) -> None:
        """Starts full. `rate` is in tokens per second; the capacity is `burst_seconds` of the rate."""
        self._rate = rate
        self._capacity = rate * burst_seconds
        self._clock = clock
        self._level = self._capacity
        self._at = clock.monotonic()

    def wait(self) -> float:
        """Returns the seconds until a request may pass; 0 if it may pass now."""
        now = self._clock.monotonic()
        self._level = min(self._capacity, self._level + (now - self._at) * self._rate)
        self._at = now
        return 0.0 if self._level > 0 else max(-self._level / self._rate, MIN_WAIT_SECONDS)

    def take(self, tokens: float) -> None:
        self._level -= tokens


MIN_WAIT_SECONDS = 0.001
"""Wait that an empty bucket without debt returns, in seconds. It is not 0, because 0 means that a request may pass."""
