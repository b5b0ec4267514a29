"""The whole fault test: clients send, processes die, and in the end every acknowledged record must be there once."""

import itertools
import time
from collections import Counter
from contextlib import ExitStack
from functools import partial
from typing import Final

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.corpus.records import SMALL, RecordSource
from loadtest.corpus.request import export_request
from loadtest.faults.clients import NUMBERS_PER_CLIENT, Acknowledgements, Client, Role
from loadtest.faults.inflict import Inflictor
from loadtest.faults.plan import Fault, Kind
from loadtest.faults.proxy import CuttingProxy
from loadtest.faults.recovery import Recovery, RecoveryWatch
from loadtest.faults.report import FaultReport
from loadtest.otlp_grpc import GrpcConnection
from loadtest.otlp_http import HttpConnection, Outcome
from loadtest.own_stack import OwnStack, Say, Sender
from loadtest.sent import Sent, count
from loadtest.topic import wait_until_loaded
from loadtest.verdict import judge

TENANTS: Final = 3
LOADER_SETTINGS: Final = {"LOGSIEVE_LOADER_BATCH_SECONDS": "0.1"}
"""Short batches keep the loader between promise, insert and commit most of the time, where dying hurts most."""
_READY_SECONDS: Final = 30.0
_SETTLE_SECONDS: Final = 180.0
_QUIET_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 0.2


def node_settings(nodes: int) -> dict[str, str]:
    """The settings of a stack with so many ClickHouse nodes, each of which gets records of every tenant."""
    if nodes == 1:
        return {}
    # Every request of a tenant goes to the next partition.
    return {"LOGSIEVE_CLICKHOUSE_NODES": str(nodes), "LOGSIEVE_TENANT_PARTITION_BYTES_PER_SECOND": "1"}


class FaultRun:
    """One run on one stack. `faults` is the plan, `seed` also decides what clients send."""

    def __init__(self, stack: OwnStack, faults: tuple[Fault, ...], seed: int, clock: Clock, say: Say) -> None:
        self._stack = stack
        self._faults = faults
        self._seed = seed
        self._clock = clock
        self._say = say
        self._acknowledgements = Acknowledgements()
        self._watch = RecoveryWatch(stack.settings, self._acknowledgements, clock)

    def run(self) -> FaultReport:
        """Raises Unavailable when the stack does not recover, InvalidRequest when the receiver finds fault with a
        request."""
        began = self._clock.monotonic()
        senders = [self._stack.create_sender(f"faults-{number}") for number in range(TENANTS)]
        with ExitStack() as cleanup:
            http = cleanup.enter_context(CuttingProxy(self._stack.otlp_http))
            grpc = cleanup.enter_context(CuttingProxy(self._stack.otlp_grpc))
            clients = self._clients(senders, http, grpc)
            inflictor = Inflictor(self._stack.services, (http, grpc), self._seed, self._clock)
            cleanup.callback(inflictor.settle)
            for client in clients:
                cleanup.callback(client.stop)
                client.start()
            self._wait_for_everyone(clients)
            recoveries = self._inflict_all(inflictor, clients)
            inflictor.settle()
            self._wait_until_ready()
            time.sleep(_QUIET_SECONDS)
            for client in clients:
                client.stop()
            for client in clients:
                client.join()
        sent = {sender.tenant_id: Sent() for sender in senders}
        for client in clients:
            sent[client.sender.tenant_id] = sent[client.sender.tenant_id].merged(client.sent)
        for number, sender in enumerate(senders, start=len(clients)):
            sent[sender.tenant_id] = sent[sender.tenant_id].merged(self._send_last(sender, number))
        self._say("waiting until the loader has caught up")
        try:
            wait_until_loaded(self._stack.settings, self._clock, _SETTLE_SECONDS)
        except Unavailable as error:
            # What it never loads is lost, and the comparison says which records those are.
            self._say(error.detail)
        kinds = Counter(fault.kind for fault in self._faults)
        return FaultReport(
            seed=self._seed,
            kills=dict(Counter(fault.target for fault in self._faults if fault.kind is Kind.kill)),
            pauses=kinds[Kind.pause],
            cuts=kinds[Kind.cut],
            requests=sum(client.requests for client in clients),
            acknowledged=sum(count(each.acknowledged) for each in sent.values()),
            uncertain=sum(count(each.uncertain) for each in sent.values()),
            verdict=judge(sent, self._stack.settings, self._clock),
            recoveries=recoveries,
            seconds=self._clock.monotonic() - began,
        )

    def _clients(self, senders: list[Sender], http: CuttingProxy, grpc: CuttingProxy) -> list[Client]:
        """For each tenant one straight to the receiver, and one of each transport through a proxy."""
        clients: list[Client] = []
        for sender in senders:
            for connect in (
                partial(HttpConnection, self._stack.otlp_http, sender.ingest_key),
                partial(HttpConnection, http.address, sender.ingest_key),
                partial(GrpcConnection, grpc.address, sender.ingest_key),
            ):
                role = Role(len(clients), sender, connect)
                clients.append(Client(role, self._acknowledgements, self._seed, self._clock))
        return clients

    def _inflict_all(self, inflictor: Inflictor, clients: list[Client]) -> tuple[Recovery, ...]:
        recoveries: list[Recovery] = []
        open_kills: list[tuple[str, float]] = []
        for number, fault in enumerate(self._faults, start=1):
            if not fault.overlapping:
                recoveries += self._recovered(open_kills)
                open_kills = []
            time.sleep(fault.after)
            self._say(f"[{number}/{len(self._faults)}] {fault}")
            moment = self._clock.monotonic()
            inflictor.inflict(fault)
            if fault.kind is Kind.kill:
                open_kills.append((fault.target, moment))
            for client in clients:
                if client.failure is not None:
                    raise client.failure
        return (*recoveries, *self._recovered(open_kills))

    def _recovered(self, kills: list[tuple[str, float]]) -> list[Recovery]:
        recoveries = [self._watch.recovered(target, moment) for target, moment in kills]
        for each in recoveries:
            self._say(
                f"  {each.target}: acknowledged after {each.acknowledged_after:.1f} s,"
                f" found after {each.searchable_after:.1f} s"
            )
        self._acknowledgements.forget()
        return recoveries

    def _wait_for_everyone(self, clients: list[Client]) -> None:
        """Until each client has had an answer: the receiver learns new keys within seconds."""
        deadline = self._clock.monotonic() + _READY_SECONDS
        while not all(client.sent.acknowledged for client in clients):
            for client in clients:
                if client.failure is not None:
                    raise client.failure
            if self._clock.monotonic() > deadline:
                raise Unavailable(f"not every client was answered within {_READY_SECONDS:g} s")
            time.sleep(_POLL_SECONDS)

    def _wait_until_ready(self) -> None:
        deadline = self._clock.monotonic() + _SETTLE_SECONDS
        while not self._stack.services.ready():
            if self._clock.monotonic() > deadline:
                raise Unavailable(f"the stack is not ready {_SETTLE_SECONDS:g} s after the last fault")
            time.sleep(_POLL_SECONDS)

    def _send_last(self, sender: Sender, client: int) -> Sent:
        """One more record, until one is acknowledged.

        The receiver's producer is idempotent, so everything that was under way to the tenant's partition is in Kafka
        before it, or will never be.
        """
        sent = Sent()
        deadline = self._clock.monotonic() + _SETTLE_SECONDS
        source = RecordSource(SMALL, self._seed, client * NUMBERS_PER_CLIENT)
        with HttpConnection(self._stack.otlp_http, sender.ingest_key) as connection:
            for number in itertools.count(client * NUMBERS_PER_CLIENT):
                body = export_request(source.take(1, self._clock.now_ns()), client)
                if connection.export(body) is Outcome.acknowledged:
                    sent.acknowledged.append(range(number, number + 1))
                    break
                if self._clock.monotonic() > deadline:
                    raise Unavailable("the last record was not acknowledged")
                sent.uncertain.append(range(number, number + 1))
                time.sleep(_POLL_SECONDS)
        return sent
