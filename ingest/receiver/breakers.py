"""Decides whether a message that Kafka did not take says something about all of Kafka, or only about its partition."""

import math
from dataclasses import dataclass

from ingest.receiver.breaker import Breaker
from kit.clock import Clock
from kit.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Attempt:
    """A message that is sent: its key, and the time when it was produced, in seconds of the monotonic clock."""

    key: bytes
    started: float


class Breakers:
    """Circuit breaker of Kafka, and one for each key whose messages fail while Kafka acknowledges other messages.

    Messages of a key are in one partition. While this partition has no leader, only its tenants are refused.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kafka = Breaker(clock)
        self._keys: dict[bytes, Breaker] = {}
        self._acknowledged = -math.inf

    def problem(self) -> str | None:
        """Returns why requests of all tenants are refused; None if they are not."""
        return self._kafka.problem()

    def check(self) -> None:
        """Raises Unavailable if requests of all tenants are refused now."""
        self._kafka.check()

    def start(self, key: bytes) -> Attempt:
        """Raises Unavailable if a message with this key must not be tried now. Call it before each message."""
        own = self._keys.get(key)
        if own is not None:
            # A message that is refused here must not count as the one message that Kafka's breaker tries.
            own.check()
        self._kafka.start_attempt()
        if own is not None:
            own.start_attempt()
        return Attempt(key, self._clock.monotonic())

    def succeeded(self, attempt: Attempt) -> None:
        self._acknowledged = self._clock.monotonic()
        self._kafka.succeeded()
        self._keys.pop(attempt.key, None)

    def failed(self, attempt: Attempt, reason: str) -> None:
        """Notes that a message was not acknowledged in time."""
        if self._acknowledged < attempt.started:
            self._kafka.failed(reason)
        else:
            self._keys.setdefault(attempt.key, Breaker(self._clock, "the request's Kafka partition")).failed(reason)

    def alarm(self, reason: str) -> None:
        """Notes that no broker is connected."""
        self._kafka.alarm(reason)

    def refusal(self, attempt: Attempt, detail: str) -> Unavailable:
        """Returns the error for a message that failed. Its retry delay grows with the outage."""
        return self._keys.get(attempt.key, self._kafka).refusal(detail)
