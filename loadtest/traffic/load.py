"""Clients of several tenants that send numbered records while services fail, and the ledger of what they sent."""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Final

from loadtest.background import Background
from loadtest.bench import Bench
from loadtest.comparison import Sent
from loadtest.corpus.records import SMALL, RecordSource, export_request
from loadtest.own_stack import OwnStack, Sender
from loadtest.traffic.otlp_grpc import GrpcConnection
from loadtest.traffic.otlp_http import HttpConnection, SendOutcome
from loadtest.traffic.scheduled_exports import Answered
from loadtest.waiting import WAIT_SECONDS, wait_until

SETTLE_SECONDS: Final = 180.0
"""Longest wait, in seconds, until a record is acknowledged after the faults, or until loaders have caught up."""
NUMBERS_PER_CLIENT: Final = 10**9
_MAX_RECORDS: Final = 40
_PAUSE_SECONDS: Final = (0.02, 0.2)
_RETRY_SECONDS: Final = 0.2

Connection = HttpConnection | GrpcConnection
Connect = Callable[[Sender], Connection]
"""Returns a new connection with the tenant's key."""


class Client(Background):
    """Sends requests of 1 to 40 records one after the other within the block.

    With a rate in records per second, each pause is as long as the rate demands. Otherwise pauses are random.
    """

    def __init__(self, number: int, sender: Sender, connect: Connect, bench: Bench, rate: float | None = None) -> None:
        """The client numbers its records from `number` * NUMBERS_PER_CLIENT."""
        super().__init__(f"client-{number}")
        self.sender = sender
        self.sent = Sent()
        self.acknowledged: list[Answered] = []
        self._number = number
        self._connect = connect
        self._rng = random.Random(f"{bench.seed}/{number}")
        self._next = number * NUMBERS_PER_CLIENT
        self._source = RecordSource(SMALL, bench.seed, self._next)
        self._clock = bench.clock
        self._rate = rate

    def work(self) -> None:
        with self._connect(self.sender) as connection:
            while not self.stopping.is_set():
                records, started = self._rng.randint(1, _MAX_RECORDS), self._clock.monotonic()
                self._send(connection, records)
                time.sleep(self._pause(records, self._clock.monotonic() - started))

    def send_last(self, seconds: float) -> None:
        """Sends single records until one is acknowledged. Raises Unavailable if none is within `seconds`.

        The receiver's producer is idempotent. Each earlier message to the tenant's partition is therefore in Kafka
        before the acknowledged record, or will never be in Kafka.
        """
        self.stopping.set()
        with self._connect(self.sender) as connection:
            failure = "the last record was not acknowledged"
            wait_until(lambda: self._send(connection, 1), self._clock, seconds, failure)

    def _pause(self, records: int, seconds: float) -> float:
        """Returns the seconds until the next request, after one of `records` records that took `seconds`."""
        if self._rate is None:
            return self._rng.uniform(*_PAUSE_SECONDS)
        return max(0.0, records / self._rate - seconds)

    def _send(self, connection: Connection, records: int) -> bool:
        """Sends one request. Repeats it as long as the receiver has certainly not kept it, unless the client stops.

        Returns whether it was acknowledged.
        """
        numbers = range(self._next, self._next + records)
        self._next += records
        time_ns = self._clock.now_ns()
        body = export_request(self._source.take(records, time_ns), self._number)
        while True:
            started = self._clock.monotonic()
            outcome = connection.export(body)
            if outcome is SendOutcome.acknowledged:
                self.sent.acknowledged.append(numbers)
                self.acknowledged.append(Answered(self.sender, time_ns, records, started, self._clock.monotonic()))
                return True
            time.sleep(_RETRY_SECONDS)
            if outcome is SendOutcome.uncertain or self.stopping.is_set():
                self.sent.uncertain.append(numbers)
                return False


class Load(AbstractContextManager["Load"]):
    """Clients that send within the block: for each tenant, one for each way to connect.

    The end of the block raises the error that ended a client, unless the block ends with an error of its own.
    """

    def __init__(
        self,
        bench: Bench,
        stack: OwnStack,
        senders: Sequence[Sender],
        connects: Sequence[Connect],
        records_per_second: float | None = None,
    ) -> None:
        """`records_per_second` is the rate of all clients together. Without it, they send after random pauses."""
        self._clock = bench.clock
        roles = [(sender, connect) for sender in senders for connect in connects]
        self._started = ExitStack()
        rate = None if records_per_second is None else records_per_second / len(roles)
        self._clients = [Client(number, *role, bench, rate) for number, role in enumerate(roles)]
        self._last = [
            Client(number, sender, lambda sender: HttpConnection(stack.otlp_http, sender.ingest_key), bench)
            for number, sender in enumerate(senders, start=len(roles))
        ]

    def __enter__(self) -> "Load":
        """Starts the clients. Returns when each has had a request acknowledged: the receiver learns new keys late."""
        with ExitStack() as started:
            for client in self._clients:
                started.enter_context(client)
            started.callback(self._stop)
            wait_until(self._all_answered, self._clock, WAIT_SECONDS, "not every client was answered")
            self._started = started.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._started.__exit__(*error)

    def _stop(self) -> None:
        """Lets all clients stop at the same time, before the first of them is waited for."""
        for client in self._clients:
            client.stopping.set()

    def _all_answered(self) -> bool:
        self.check()
        return all(client.sent.acknowledged for client in self._clients)

    def first_started_after(self, moment: float) -> Answered | None:
        """Returns the first acknowledged request that was sent after `moment`, in monotonic seconds."""
        every = (each for client in self._clients for each in list(client.acknowledged) if each.started > moment)
        return min(every, key=lambda each: each.at, default=None)

    def forget(self) -> None:
        """Removes the acknowledged requests until now, so that `first_started_after` does not become slower."""
        for client in self._clients:
            client.acknowledged.clear()

    def check(self) -> None:
        """Raises the error that ended a client, if any."""
        for client in self._clients:
            client.check()

    def finish(self) -> Mapping[int, Sent]:
        """Stops the clients. Returns for each tenant's id what was sent, with a last acknowledged record.

        Raises the error that ended a client, and Unavailable if no last record is acknowledged.
        """
        self._started.close()
        for last in self._last:
            last.send_last(SETTLE_SECONDS)
        sent: defaultdict[int, Sent] = defaultdict(Sent)
        for client in (*self._clients, *self._last):
            sent[client.sender.tenant_id] = sent[client.sender.tenant_id].merged(client.sent)
        return sent
