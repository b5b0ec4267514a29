"""Whether Kafka can be expected to answer, so that a request need not wait 10 s to learn that it is away."""

from kit.clock import Clock
from kit.errors import Unavailable

RETRY_SECONDS = 2.0
"""Asked of senders while Kafka is away; also how long the client library waits at most before it connects again."""

PROBE_SECONDS = 1.0
"""Between requests that are let through to find out whether Kafka is back."""


class Breaker:
    """Opens when Kafka fails and closes with the first message it takes.

    While open, one request a second goes through: it waits for Kafka as long as any request may, and its success
    closes the breaker. A wrong alarm therefore costs a few requests a retry, never more.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._reason: str | None = None
        self._next_probe = 0.0

    @property
    def reason(self) -> str | None:
        """Why it is open, or None."""
        return self._reason

    def failed(self, reason: str) -> None:
        if self._reason is None:
            self._next_probe = self._clock.monotonic()
        self._reason = reason

    def succeeded(self) -> None:
        self._reason = None

    def check(self) -> None:
        """Raises Unavailable where a request should not be tried. Asked once for each request: it may be the probe."""
        if self._reason is None:
            return
        now = self._clock.monotonic()
        if now < self._next_probe:
            raise Unavailable(f"Kafka cannot be reached: {self._reason}", retry_after=RETRY_SECONDS)
        self._next_probe = now + PROBE_SECONDS
