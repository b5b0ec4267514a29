"""Whether Kafka can be expected to answer, so that a request need not wait 10 s to learn that it is away."""

from kit.clock import Clock
from kit.errors import Unavailable

RETRY_SECONDS = 2.0
"""Asked of senders when Kafka begins to be away; also how long the client library waits at most before it connects
again."""

LONGEST_RETRY_SECONDS = 30.0
"""Asked of senders in the end. The wait grows with the outage, because the OpenTelemetry SDKs count their attempts:
six, of which one every 2 s would give up what a minute without Kafka holds up."""

PAUSE_SECONDS = 2.0
"""After a failure, until a message is tried again."""

PROBE_SECONDS = 12.0
"""How long the message that is tried may take before another one is: longer than its delivery."""


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
        """A message could not be delivered."""
        now = self._clock.monotonic()
        if self._reason is None:
            self._since = now
        self._reason = reason
        self._next_probe = now + PAUSE_SECONDS

    def alarm(self, reason: str) -> None:
        """No broker is connected. Repeated alarms must not put off the message that would find one."""
        if self._reason is None:
            self.failed(reason)

    def succeeded(self) -> None:
        self._reason = None

    def check(self) -> None:
        """Raises Unavailable where a message would not be tried now."""
        now = self._clock.monotonic()
        if self._reason is not None and now < self._next_probe:
            wait = min(max(RETRY_SECONDS, now - self._since), LONGEST_RETRY_SECONDS)
            raise Unavailable(f"Kafka cannot be reached: {self._reason}", retry_after=wait)

    def begin(self) -> None:
        """Asked before each message. Raises Unavailable where it is not to be tried."""
        self.check()
        self._next_probe = self._clock.monotonic() + PROBE_SECONDS
