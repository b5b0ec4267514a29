"""Remembers whether Kafka answers, so that a request need not wait 10 s to learn that it does not."""

from kit.clock import Clock
from kit.errors import Unavailable

RETRY_SECONDS = 2.0
"""Asked of senders when Kafka begins to be away; also how long the client library waits at most before it connects
again."""

LONGEST_RETRY_SECONDS = 60.0
"""Asked of senders in the end, and no more, so that they come back within a minute after any outage."""

GROWTH = 2.0
"""Senders are asked to wait this many times as long as Kafka has been away. The OpenTelemetry SDKs count attempts, not
time: after six they give a batch up (opentelemetry-python 1.45, `_MAX_RETRIES` of both OTLP exporters). A sender that
does as it is told tries 0, 2, 6, 18, 54 and 114 s after Kafka went away."""

PAUSE_SECONDS = 2.0
"""After a failure, until a message is tried again."""

PROBE_SECONDS = 12.0
"""Seconds until a further message is tried while Kafka is away. Longer than the delivery of the one being tried."""


class Breaker:
    """Opens when Kafka fails and closes with the first message it takes.

    While open, one message at a time is tried: it waits for Kafka as long as any may, and its success closes the
    breaker. A wrong alarm therefore costs a few requests a retry, never more.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._reason: str | None = None
        self._since = 0.0
        self._next_probe = 0.0

    def failed(self, reason: str) -> None:
        """Notes that a message could not be delivered."""
        now = self._clock.monotonic()
        if self._reason is None:
            self._since = now
        self._reason = reason
        self._next_probe = now + PAUSE_SECONDS

    def alarm(self, reason: str) -> None:
        """Notes that no broker is connected. Repeated alarms do not delay the next try."""
        if self._reason is None:
            self.failed(reason)

    def succeeded(self) -> None:
        self._reason = None

    def check(self) -> None:
        """Raises Unavailable where a message would not be tried now."""
        now = self._clock.monotonic()
        if self._reason is not None and now < self._next_probe:
            raise self.refusal(f"Kafka cannot be reached: {self._reason}")

    def refusal(self, detail: str) -> Unavailable:
        """Returns the error for a message that failed or was not tried. The longer Kafka is away, the later the
        retry."""
        away = 0.0 if self._reason is None else self._clock.monotonic() - self._since
        return Unavailable(detail, retry_after=min(max(RETRY_SECONDS, GROWTH * away), LONGEST_RETRY_SECONDS))

    def begin(self) -> None:
        """Raises Unavailable if a message is not to be tried now. Called before each message."""
        self.check()
        self._next_probe = self._clock.monotonic() + PROBE_SECONDS
