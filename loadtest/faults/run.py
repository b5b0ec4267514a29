"""Runs the fault test: clients send while processes are killed; then each acknowledged record must be stored once."""

import itertools
import time
from collections import Counter
from contextlib import ExitStack
from functools import partial
from typing import Final

from kit.clickhouse import connect_shards
from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.corpus.records import SMALL, RecordSource
from loadtest.corpus.request import export_request
from loadtest.faults.clients import NUMBERS_PER_CLIENT, Acknowledged, Acknowledgements, Client, Role
from loadtest.faults.inflict import RECOVERY_SECONDS, Inflictor
from loadtest.faults.plan import Fault, Kind
from loadtest.faults.proxy import CuttingProxy
from loadtest.faults.report import FaultReport, Recovery
from loadtest.log_store import LogStore
from loadtest.otlp_grpc import GrpcConnection
from loadtest.otlp_http import HttpConnection, SendOutcome
from loadtest.own_stack import OwnStack, Sender
from loadtest.sent import Sent, count
from loadtest.topic import wait_until_loaded
from loadtest.verdict import judge
from schema.clickhouse.tables import table_name

TENANTS: Final = 3
LOADER_SETTINGS: Final = {"LOGSIEVE_LOADER_BATCH_SECONDS": "0.1"}
"""Settings that make batches short.

The loader is then between intent, insert and commit most of the time, where a kill is most likely to reveal a mistake.
"""
_READY_SECONDS: Final = 30.0
_SETTLE_SECONDS: Final = 180.0
_QUIET_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 0.05


def node_settings(nodes: int) -> dict[str, str]:
    """Returns the settings of a stack with `nodes` ClickHouse nodes, each of which gets records of every tenant."""
    if nodes == 1:
        return {}
    # Sends each request of a tenant to the next partition.
    return {"LOGSIEVE_CLICKHOUSE_NODES": str(nodes), "LOGSIEVE_TENANT_PARTITION_BYTES_PER_SECOND": "1"}


class FaultRun:
    """One run of planned faults on one stack. The seed of the bench also determines the records that clients send."""

    def __init__(self, bench: Bench, stack: OwnStack, faults: tuple[Fault, ...]) -> None:
        self._bench = bench
        self._clock = bench.clock
        self._stack = stack
        self._faults = faults
        self._acknowledgements = Acknowledgements()

    def run(self, nodes: int) -> FaultReport:
        """Runs the test and returns its report.

        Raises Unavailable if the stack does not recover, InvalidRequest if the receiver refuses a request as invalid.
        """
        began = self._clock.monotonic()
        senders = [self._stack.create_sender(f"faults-{number}") for number in range(TENANTS)]
        with ExitStack() as cleanup:
            http = cleanup.enter_context(CuttingProxy(self._stack.otlp_http))
            grpc = cleanup.enter_context(CuttingProxy(self._stack.otlp_grpc))
            clients = self._clients(senders, http, grpc)
            inflictor = Inflictor(self._stack.services, (http, grpc), self._bench.seed, self._clock)
            cleanup.callback(inflictor.settle)
            for client in clients:
                cleanup.callback(client.stop)
                client.start()
            self._wait_for_everyone(clients)
            recoveries = self._inflict_all(inflictor, clients)
            inflictor.settle()
            self._stack.services.wait_until_ready(self._clock, _SETTLE_SECONDS)
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
        self._bench.say("waiting until the loader has caught up")
        try:
            wait_until_loaded(self._stack.settings, self._clock, _SETTLE_SECONDS)
        except Unavailable as error:
            # The comparison below reports the records that the loader has not loaded.
            self._bench.say(error.detail)
        kinds = Counter(fault.kind for fault in self._faults)
        return FaultReport(
            kills=dict(Counter(fault.target for fault in self._faults if fault.kind is Kind.kill)),
            pauses=kinds[Kind.pause],
            cuts=kinds[Kind.cut],
            nodes=nodes,
            requests=sum(client.requests for client in clients),
            acknowledged=sum(count(each.acknowledged) for each in sent.values()),
            uncertain=sum(count(each.uncertain) for each in sent.values()),
            recoveries=recoveries,
            seconds=self._clock.monotonic() - began,
            **dict(judge(sent, self._stack.settings, self._clock)),
        )

    def _clients(self, senders: list[Sender], http: CuttingProxy, grpc: CuttingProxy) -> list[Client]:
        """Returns three clients for each tenant: HTTP straight to the receiver, HTTP and gRPC through a proxy."""
        clients: list[Client] = []
        for sender in senders:
            for connect in (
                partial(HttpConnection, self._stack.otlp_http, sender.ingest_key),
                partial(HttpConnection, http.address, sender.ingest_key),
                partial(GrpcConnection, grpc.address, sender.ingest_key),
            ):
                role = Role(len(clients), sender, connect)
                clients.append(Client(role, self._acknowledgements, self._bench.seed, self._clock))
        return clients

    def _inflict_all(self, inflictor: Inflictor, clients: list[Client]) -> tuple[Recovery, ...]:
        recoveries: list[Recovery] = []
        open_kills: list[tuple[str, float]] = []
        for number, fault in enumerate(self._faults, start=1):
            if not fault.overlapping:
                recoveries += self._recovered(open_kills)
                open_kills = []
            time.sleep(fault.after)
            self._bench.say(f"[{number}/{len(self._faults)}] {fault}")
            moment = self._clock.monotonic()
            inflictor.inflict(fault)
            if fault.kind is Kind.kill:
                open_kills.append((fault.target, moment))
            _raise_failures(clients)
        return (*recoveries, *self._recovered(open_kills))

    def _recovered(self, kills: list[tuple[str, float]]) -> list[Recovery]:
        recoveries = [self._recovery(target, moment) for target, moment in kills]
        for each in recoveries:
            self._bench.say(
                f"  {each.target}: acknowledged after {each.acknowledged_after:.1f} s,"
                f" found after {each.searchable_after:.1f} s"
            )
        self._acknowledgements.forget()
        return recoveries

    def _recovery(self, target: str, killed_at: float) -> Recovery:
        """Waits until a request begun after the kill is acknowledged and its records are found.

        Raises Unavailable after RECOVERY_SECONDS.
        """
        deadline = killed_at + RECOVERY_SECONDS
        while (answer := self._acknowledgements.first_started_after(killed_at)) is None:
            self._wait(deadline, f"no request was acknowledged for {RECOVERY_SECONDS:g} s")
        while not self._found(answer):
            self._wait(deadline, f"records are not found {RECOVERY_SECONDS:g} s after {target} was killed")
        return Recovery(
            target=target,
            acknowledged_after=answer.at - killed_at,
            searchable_after=self._clock.monotonic() - killed_at,
        )

    def _found(self, answer: Acknowledged) -> bool:
        try:
            with connect_shards(self._stack.settings) as shards:
                store = LogStore(shards, self._stack.settings, self._clock)
                return store.holds(table_name(answer.sender.lane), answer.sender.tenant_id, answer.time_ns)
        except Unavailable:
            return False

    def _wait_for_everyone(self, clients: list[Client]) -> None:
        """Waits until each client has had a request acknowledged, because the receiver learns new keys with a delay."""
        deadline = self._clock.monotonic() + _READY_SECONDS
        while not all(client.sent.acknowledged for client in clients):
            _raise_failures(clients)
            self._wait(deadline, f"not every client was answered within {_READY_SECONDS:g} s")

    def _send_last(self, sender: Sender, client: int) -> Sent:
        """Sends single records until one is acknowledged.

        The receiver's producer is idempotent. Each earlier message to the tenant's partition is therefore in Kafka
        before the acknowledged record, or will never be in Kafka.
        """
        sent = Sent()
        deadline = self._clock.monotonic() + _SETTLE_SECONDS
        source = RecordSource(SMALL, self._bench.seed, client * NUMBERS_PER_CLIENT)
        with HttpConnection(self._stack.otlp_http, sender.ingest_key) as connection:
            for number in itertools.count(client * NUMBERS_PER_CLIENT):
                body = export_request(source.take(1, self._clock.now_ns()), client)
                if connection.export(body) is SendOutcome.acknowledged:
                    sent.acknowledged.append(range(number, number + 1))
                    break
                sent.uncertain.append(range(number, number + 1))
                self._wait(deadline, "the last record was not acknowledged")
        return sent

    def _wait(self, deadline: float, failure: str) -> None:
        if self._clock.monotonic() > deadline:
            raise Unavailable(failure)
        time.sleep(_POLL_SECONDS)


def _raise_failures(clients: list[Client]) -> None:
    for client in clients:
        if client.failure is not None:
            raise client.failure
