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
    """Circuit breaker of Kafka, and one for each key whose messages fail.

    Messages of a key are in one partition. While this partition has no leader, only its tenants are refused. Kafka's
    breaker opens when no broker is connected, or when a second key fails and no message was acknowledged meanwhile.
    While it is open, one message at a time is tried of each key that failed, and one of all other keys together.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kafka = Breaker(clock)
        self._keys: dict[bytes, Breaker] = {}
        self._acknowledged = -math.inf
        self._failed: set[bytes] = set()
        """Keys whose messages failed since the last acknowledged message."""

    def problem(self) -> str | None:
        """Returns why requests of all tenants are refused now; None if one may be tried."""
        return self._kafka.problem()

    def check(self, key: bytes | None = None) -> None:
        """Raises Unavailable if requests of all tenants are refused now, or messages with this key."""
        self._kafka.check()
        if key is not None and key in self._keys:
            self._keys[key].check()

    def start(self, key: bytes) -> Attempt:
        """Raises Unavailable if a message with this key must not be tried now. Call it before each message."""
        # A key that failed says little about Kafka, so its message is not the one that Kafka's breaker tries.
        self._kafka.check()
        self._keys.get(key, self._kafka).start_attempt()
        return Attempt(key, self._clock.monotonic())

    def cancel(self, attempt: Attempt) -> None:
        """Notes that the message was not sent, so that it says nothing about Kafka. Call it right after `start`."""
        self._keys.get(attempt.key, self._kafka).cancel_attempt()

    def succeeded(self, attempt: Attempt) -> None:
        self._acknowledged = self._clock.monotonic()
        self._failed.clear()
        self._kafka.succeeded()
        self._keys.pop(attempt.key, None)

    def failed(self, attempt: Attempt, reason: str) -> None:
        """Notes that a message was not acknowledged in time."""
        if attempt.key not in self._keys:
            self._keys[attempt.key] = Breaker(self._clock, "the request's Kafka partition")
            if self._failed and self._acknowledged < attempt.started:
                self._kafka.failed(reason)
        self._keys[attempt.key].failed(reason)
        self._failed.add(attempt.key)

    def alarm(self, reason: str) -> None:
        """Notes that no broker is connected."""
        self._kafka.alarm(reason)

    def refusal(self, attempt: Attempt, detail: str) -> Unavailable:
        """Returns the error for a message that failed. Its retry delay grows with the outage."""
        return self._keys.get(attempt.key, self._kafka).refusal(detail)
