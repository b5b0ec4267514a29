"""Sends export requests on a schedule, and keeps the outcome and the time of each."""

import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from math import inf
from typing import Final

from kit.clock import Clock
from kit.errors import InvalidRequest
from loadtest.comparison import Sent, count
from loadtest.own_stack import Sender
from loadtest.traffic.open_loop import Call
from loadtest.traffic.otlp_http import SendOutcome, ThreadConnections

CONNECTIONS: Final = 32
"""Largest number of requests in progress at once. If a slow receiver reaches it, later requests are sent late."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An acknowledged request. All its records have the timestamp `time_ns`.

    `started` is the time at which the request was sent, `at` the time of its answer, both in monotonic seconds.
    """

    sender: Sender
    time_ns: int
    records: int
    started: float
    at: float


@dataclass(slots=True)
class Outcomes:
    """Outcomes of all requests of a schedule."""

    sent: defaultdict[int, Sent] = field(default_factory=lambda: defaultdict(Sent))
    """Numbers of sent records by tenant id, without refused ones."""
    refused: int = 0
    """Number of records that were certainly not kept."""
    seconds: list[float] = field(default_factory=list)
    """Seconds from the time each request was due to its answer. Infinite for a request without acknowledgement."""
    behind: float = 0.0
    """Largest delay of a request behind its schedule, in seconds."""

    @property
    def acknowledged(self) -> int:
        """Number of records of acknowledged requests."""
        return sum(count(each.acknowledged) for each in self.sent.values())

    @property
    def uncertain(self) -> int:
        """Number of records that may have been kept, because their request had no clear answer."""
        return sum(count(each.uncertain) for each in self.sent.values())


class ScheduledExports(AbstractContextManager["ScheduledExports"]):
    """Makes the calls of a schedule. Each thread that runs calls has a connection for each key, until the block
    ends."""

    def __init__(
        self,
        address: tuple[str, int],
        clock: Clock,
        on_answer: Callable[[Answered], None] = lambda _: None,
        *,
        tolerant: bool = False,
        compressed: bool = False,
    ) -> None:
        """Calls `on_answer` for each acknowledged request.

        With `tolerant`, a request that the receiver refuses as invalid is uncertain; without it, the call raises. With
        `compressed`, requests are compressed by gzip.
        """
        self.outcomes = Outcomes()
        self._clock = clock
        self._on_answer = on_answer
        self._tolerant = tolerant
        self._connections = ThreadConnections(address, compressed=compressed)
        self._lock = threading.Lock()

    def __exit__(self, *_: object) -> None:
        self._connections.__exit__()

    def begin_ledger(self) -> Outcomes:
        """Returns new outcomes, which the calls that are made from now on fill."""
        self.outcomes = Outcomes()
        return self.outcomes

    def call(self, sender: Sender, body: bytes, numbers: range, time_ns: int) -> Call:
        """Returns the call that sends a request. `numbers` are those of its records, which all have `time_ns`."""

        outcomes = self.outcomes

        def send(due: float) -> None:
            started = self._clock.monotonic()
            outcome = self._export(sender, body)
            at = self._clock.monotonic()
            with self._lock:
                outcomes.behind = max(outcomes.behind, started - due)
                outcomes.seconds.append(at - due if outcome is SendOutcome.acknowledged else inf)
                if outcome is SendOutcome.acknowledged:
                    outcomes.sent[sender.tenant_id].acknowledged.append(numbers)
                elif outcome is SendOutcome.uncertain:
                    outcomes.sent[sender.tenant_id].uncertain.append(numbers)
                else:
                    outcomes.refused += len(numbers)
            if outcome is SendOutcome.acknowledged:
                self._on_answer(Answered(sender, time_ns, len(numbers), started, at))

        return send

    def _export(self, sender: Sender, body: bytes) -> SendOutcome:
        try:
            return self._connections.with_key(sender.ingest_key).export(body)
        except InvalidRequest:
            if not self._tolerant:
                raise
            # The request is uncertain, because an answer may refuse only a part of its records.
            return SendOutcome.uncertain
