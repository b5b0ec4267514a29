"""Clients of several tenants that send numbered records while services fail, and the ledger of what they sent."""

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.comparison import Sent
from loadtest.corpus.records import SMALL, RecordSource, export_request
from loadtest.faults.clients import NUMBERS_PER_CLIENT, Acknowledgements, Client, Connection, Role
from loadtest.otlp_http import HttpConnection, SendOutcome
from loadtest.own_stack import OwnStack, Sender
from loadtest.waiting import POLL_SECONDS, wait_until

SETTLE_SECONDS: Final = 180.0
"""Longest wait, in seconds, until a record is acknowledged after the faults, or until loaders have caught up."""
_READY_SECONDS: Final = 30.0

Connect = Callable[[Sender], Connection]
"""Returns a new connection with the tenant's key."""


class Load(AbstractContextManager["Load"]):
    """Clients that send within the block: for each tenant, one for each way to connect."""

    def __init__(
        self,
        bench: Bench,
        stack: OwnStack,
        senders: Sequence[Sender],
        connects: Sequence[Connect],
        records_per_second: float | None = None,
    ) -> None:
        """`records_per_second` is the rate of all clients together. Without it, they send after random pauses."""
        self.acknowledgements = Acknowledgements()
        self._bench = bench
        self._stack = stack
        self._senders = senders
        roles = [(sender, connect) for sender in senders for connect in connects]
        rate = None if records_per_second is None else records_per_second / len(roles)
        self._clients = [
            Client(
                Role(number, sender, lambda sender=sender, connect=connect: connect(sender)),  # type: ignore[misc]  # mypy does not infer bound defaults
                self.acknowledgements,
                bench.seed,
                bench.clock,
                rate,
            )
            for number, (sender, connect) in enumerate(roles)
        ]

    def __enter__(self) -> "Load":
        """Starts the clients. Returns when each has had a request acknowledged: the receiver learns new keys late."""
        for client in self._clients:
            client.__enter__()
        try:
            wait_until(self._all_answered, self._bench.clock, _READY_SECONDS, "not every client was answered")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.stopping.set()

    def _all_answered(self) -> bool:
        self.check()
        return all(client.sent.acknowledged for client in self._clients)

    @property
    def requests(self) -> int:
        """Number of requests that all clients have sent."""
        return sum(client.requests for client in self._clients)

    def check(self) -> None:
        """Raises the error that ended a client, if any."""
        for client in self._clients:
            client.check()

    def finish(self) -> Mapping[int, Sent]:
        """Stops the clients. Returns for each tenant's id what was sent, with a last acknowledged record.

        Raises the error that ended a client, and Unavailable if no last record is acknowledged.
        """
        self.__exit__()
        for client in self._clients:
            client.__exit__()
        self.check()
        sent = {sender.tenant_id: Sent() for sender in self._senders}
        for client in self._clients:
            sent[client.sender.tenant_id] = sent[client.sender.tenant_id].merged(client.sent)
        for number, sender in enumerate(self._senders, start=len(self._clients)):
            last = _send_last(self._stack.otlp_http, sender, number, self._bench.seed, self._bench.clock)
            sent[sender.tenant_id] = sent[sender.tenant_id].merged(last)
        return sent


def _send_last(address: tuple[str, int], sender: Sender, client: int, seed: int, clock: Clock) -> Sent:
    """Sends single records until one is acknowledged.

    The receiver's producer is idempotent. Each earlier message to the tenant's partition is therefore in Kafka before
    the acknowledged record, or will never be in Kafka.
    """
    sent = Sent()
    deadline = clock.monotonic() + SETTLE_SECONDS
    source = RecordSource(SMALL, seed, client * NUMBERS_PER_CLIENT)
    with HttpConnection(address, sender.ingest_key) as connection:
        for number in itertools.count(client * NUMBERS_PER_CLIENT):
            body = export_request(source.take(1, clock.now_ns()), client)
            if connection.export(body) is SendOutcome.acknowledged:
                sent.acknowledged.append(range(number, number + 1))
                break
            sent.uncertain.append(range(number, number + 1))
            if clock.monotonic() > deadline:
                raise Unavailable("the last record was not acknowledged")
            time.sleep(POLL_SECONDS)
    return sent
