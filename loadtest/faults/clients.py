"""Clients that send numbered records while services fail, and record the outcome of each request."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol, Self

from kit.clock import Clock
from loadtest.background import Background
from loadtest.comparison import Sent
from loadtest.corpus.records import SMALL, RecordSource, export_request
from loadtest.otlp_http import SendOutcome
from loadtest.own_stack import Sender

NUMBERS_PER_CLIENT: Final = 10**9
_MAX_RECORDS: Final = 40
_PAUSE_SECONDS: Final = (0.02, 0.2)
_RETRY_SECONDS: Final = 0.2


class Connection(Protocol):
    """The methods that HttpConnection and GrpcConnection share."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: None, error: None, trace: None) -> None: ...

    def export(self, body: bytes) -> SendOutcome: ...


@dataclass(frozen=True, slots=True)
class Role:
    """Tenant and connection of one client. The client numbers its records from `number` * NUMBERS_PER_CLIENT."""

    number: int
    sender: Sender
    connect: Callable[[], Connection]


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An acknowledged request. All its records have the timestamp `time_ns`.

    `started` is the time at which the request was sent, `at` the time of its answer, both in monotonic seconds.
    """

    sender: Sender
    started: float
    at: float
    time_ns: int


@dataclass(slots=True)
class Acknowledgements:
    """Acknowledged requests of all clients. May be used from several threads."""

    _answers: list[Acknowledged] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, answer: Acknowledged) -> None:
        with self._lock:
            self._answers.append(answer)

    def forget(self) -> None:
        """Removes all requests that were added until now."""
        with self._lock:
            self._answers.clear()

    def first_started_after(self, moment: float) -> Acknowledged | None:
        with self._lock:
            return next((answer for answer in self._answers if answer.started > moment), None)


class Client(Background):
    """Sends requests of 1 to 40 records one after the other within the block.

    With a rate in records per second, each pause is as long as the rate demands. Otherwise pauses are random.
    """

    def __init__(
        self, role: Role, acknowledgements: Acknowledgements, seed: int, clock: Clock, rate: float | None = None
    ) -> None:
        super().__init__(f"client-{role.number}")
        self.sender = role.sender
        self.sent = Sent()
        self.requests = 0
        self._number = role.number
        self._connect = role.connect
        self._acknowledgements = acknowledgements
        self._rng = random.Random(f"{seed}/{role.number}")
        self._next = role.number * NUMBERS_PER_CLIENT
        self._source = RecordSource(SMALL, seed, self._next)
        self._clock = clock
        self._rate = rate

    def work(self) -> None:
        with self._connect() as connection:
            while not self.stopping.is_set():
                records, started = self._rng.randint(1, _MAX_RECORDS), self._clock.monotonic()
                self._send(connection, records)
                time.sleep(self._pause(records, self._clock.monotonic() - started))

    def _pause(self, records: int, seconds: float) -> float:
        """Returns the seconds until the next request, after one of `records` records that took `seconds`."""
        if self._rate is None:
            return self._rng.uniform(*_PAUSE_SECONDS)
        return max(0.0, records / self._rate - seconds)

    def _send(self, connection: Connection, records: int) -> None:
        """Sends one request. Repeats it as long as the receiver has certainly not kept it."""
        numbers = range(self._next, self._next + records)
        self._next += records
        time_ns = self._clock.now_ns()
        body = export_request(self._source.take(records, time_ns), self._number)
        while True:
            started = self._clock.monotonic()
            self.requests += 1
            outcome = connection.export(body)
            if outcome is SendOutcome.acknowledged:
                self.sent.acknowledged.append(numbers)
                self._acknowledgements.add(Acknowledged(self.sender, started, self._clock.monotonic(), time_ns))
                return
            if outcome is SendOutcome.uncertain or self.stopping.is_set():
                self.sent.uncertain.append(numbers)
                time.sleep(_RETRY_SECONDS)
                return
            time.sleep(_RETRY_SECONDS)
