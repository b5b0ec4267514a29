"""Circuit breaker for Kafka: while Kafka is down, requests are refused without waiting 10 s for it."""

from kit.clock import Clock
from kit.errors import Unavailable

RETRY_SECONDS = 2.0
"""Shortest retry delay for senders, in seconds, at the beginning of an outage. Also the longest time that the client
library waits before it reconnects."""

LONGEST_RETRY_SECONDS = 60.0
"""Longest retry delay for senders, in seconds, so that they return within a minute after any outage."""

GROWTH = 2.0
"""Retry delay for senders as a multiple of the outage's duration. The OpenTelemetry SDKs count attempts, not time:
after six they discard a batch (opentelemetry-python 1.45, `_MAX_RETRIES` of both OTLP exporters). A sender that obeys
the delays tries 0, 2, 6, 18, 54 and 114 s after the outage started."""

PAUSE_SECONDS = 2.0
"""Seconds after a failure until a message is tried again."""

PROBE_SECONDS = 12.0
"""Seconds between two tried messages while Kafka is down. Longer than a delivery may take."""


class Breaker:
    """Circuit breaker that opens when Kafka fails, and closes when Kafka accepts a message.

    While it is open, one message at a time is tried with the full delivery timeout, and its success closes the breaker.
    So a false alarm costs a few requests one retry.
    """

    def __init__(self, clock: Clock, what: str = "Kafka") -> None:
        """`what` is the name, in the texts of refusals, of the service that cannot be reached."""
        self._clock = clock
        self._what = what
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
        """Notes that no broker is connected. Repeated alarms do not delay the next tried message."""
        if self._reason is None:
            self.failed(reason)

    def succeeded(self) -> None:
        self._reason = None

    def problem(self) -> str | None:
        """Returns why no message may be sent now; None if one may be tried.

        If nobody sends anything after an outage, no message closes the breaker. So it is no problem any more once the
        next message may be tried.
        """
        if self._reason is None or self._clock.monotonic() >= self._next_probe:
            return None
        return f"{self._what} cannot be reached: {self._reason}"

    def check(self) -> None:
        """Raises Unavailable while no message may be sent, not even to find out whether Kafka can be reached again."""
        problem = self.problem()
        if problem is not None:
            raise self.refusal(problem)

    def refusal(self, detail: str) -> Unavailable:
        """Returns the error for a message that failed or was not tried. Its retry delay grows with the outage."""
        outage = 0.0 if self._reason is None else self._clock.monotonic() - self._since
        return Unavailable(detail, retry_after=min(max(RETRY_SECONDS, GROWTH * outage), LONGEST_RETRY_SECONDS))

    def start_attempt(self) -> None:
        """Raises Unavailable if a message must not be tried now. Call it before each message."""
        self.check()
        self._next_probe = self._clock.monotonic() + PROBE_SECONDS

    def cancel_attempt(self) -> None:
        """Notes that the message of the last `start_attempt` was not sent, so that the next message may be tried."""
        self._next_probe = self._clock.monotonic()
