"""Runs the fault test: clients send while processes are killed; then each acknowledged record must be stored once."""

import time
from collections import Counter
from contextlib import ExitStack
from typing import Final

from kit.clickhouse import connect_shards
from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.comparison import count
from loadtest.faults.clients import Acknowledged, Acknowledgements
from loadtest.faults.inflict import RECOVERY_SECONDS, Inflictor
from loadtest.faults.load import SETTLE_SECONDS, Load
from loadtest.faults.plan import Fault, Kind
from loadtest.faults.proxy import CuttingProxy
from loadtest.faults.study import FaultReport, Recovery
from loadtest.log_store import LogStore
from loadtest.otlp_grpc import GrpcConnection
from loadtest.otlp_http import HttpConnection
from loadtest.own_stack import OwnStack
from loadtest.topic import wait_until_loaded
from loadtest.verdict import judge
from schema.clickhouse.tables import table_name

TENANTS: Final = 3
LOADER_SETTINGS: Final = {"LOGSIEVE_LOADER_BATCH_SECONDS": "0.1"}
"""Settings that make batches short.

The loader is then between intent, insert and commit most of the time, where a kill is most likely to reveal a mistake.
"""
_QUIET_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 0.05


def node_settings(nodes: int, replicas: int = 1) -> dict[str, str]:
    """Returns the settings of a stack with `nodes` shards, each of which gets records of every tenant."""
    if (nodes, replicas) == (1, 1):
        return {}
    return {
        "LOGSIEVE_CLICKHOUSE_NODES": str(nodes),
        "LOGSIEVE_CLICKHOUSE_REPLICAS": str(replicas),
        # Sends each request of a tenant to the next partition.
        "LOGSIEVE_TENANT_PARTITION_BYTES_PER_SECOND": "1",
    }


class FaultRun:
    """One run of planned faults on one stack. The seed of the bench also determines the records that clients send."""

    def __init__(self, bench: Bench, stack: OwnStack, faults: tuple[Fault, ...]) -> None:
        self._bench = bench
        self._clock = bench.clock
        self._stack = stack
        self._faults = faults

    def run(self, nodes: int) -> FaultReport:
        """Runs the test and returns its report.

        Raises Unavailable if the stack does not recover, InvalidRequest if the receiver refuses a request as invalid.
        """
        started = self._clock.monotonic()
        senders = [self._stack.create_sender(f"faults-{number}") for number in range(TENANTS)]
        with ExitStack() as cleanup:
            http = cleanup.enter_context(CuttingProxy(self._stack.otlp_http))
            grpc = cleanup.enter_context(CuttingProxy(self._stack.otlp_grpc))
            inflictor = Inflictor(self._stack.services, (http, grpc), self._bench.seed, self._clock)
            cleanup.callback(inflictor.settle)
            connects = (
                lambda sender: HttpConnection(self._stack.otlp_http, sender.ingest_key),
                lambda sender: HttpConnection(http.address, sender.ingest_key),
                lambda sender: GrpcConnection(grpc.address, sender.ingest_key),
            )
            load = cleanup.enter_context(Load(self._bench, self._stack, senders, connects))
            recoveries = self._inflict_all(inflictor, load)
            inflictor.settle()
            self._stack.services.wait_until_ready(self._clock, SETTLE_SECONDS)
            time.sleep(_QUIET_SECONDS)
            sent = load.finish()
        self._bench.say("waiting until the loader has caught up")
        try:
            wait_until_loaded(self._stack.settings, self._clock, SETTLE_SECONDS)
        except Unavailable as error:
            # The comparison below reports the records that the loader has not loaded.
            self._bench.say(error.detail)
        kinds = Counter(fault.kind for fault in self._faults)
        return FaultReport(
            kills=dict(Counter(fault.target for fault in self._faults if fault.kind is Kind.kill)),
            pauses=kinds[Kind.pause],
            cuts=kinds[Kind.cut],
            nodes=nodes,
            requests=load.requests,
            acknowledged=sum(count(each.acknowledged) for each in sent.values()),
            uncertain=sum(count(each.uncertain) for each in sent.values()),
            recoveries=recoveries,
            seconds=self._clock.monotonic() - started,
            **dict(judge(sent, self._stack.settings, self._clock)),
        )

    def _inflict_all(self, inflictor: Inflictor, load: Load) -> tuple[Recovery, ...]:
        recoveries: list[Recovery] = []
        open_kills: list[tuple[str, float]] = []
        for number, fault in enumerate(self._faults, start=1):
            if not fault.overlapping:
                recoveries += self._recovered(load.acknowledgements, open_kills)
                open_kills = []
            time.sleep(fault.after)
            self._bench.say(f"[{number}/{len(self._faults)}] {fault}")
            moment = self._clock.monotonic()
            inflictor.inflict(fault)
            if fault.kind is Kind.kill:
                open_kills.append((fault.target, moment))
            load.check()
        return (*recoveries, *self._recovered(load.acknowledgements, open_kills))

    def _recovered(self, acknowledgements: Acknowledgements, kills: list[tuple[str, float]]) -> list[Recovery]:
        recoveries = [self._recovery(acknowledgements, target, moment) for target, moment in kills]
        for each in recoveries:
            self._bench.say(
                f"  {each.target}: acknowledged after {each.acknowledged_after:.1f} s,"
                f" found after {each.searchable_after:.1f} s"
            )
        acknowledgements.forget()
        return recoveries

    def _recovery(self, acknowledgements: Acknowledgements, target: str, killed_at: float) -> Recovery:
        """Waits until a request started after the kill is acknowledged and its records are found.

        Raises Unavailable after RECOVERY_SECONDS.
        """
        deadline = killed_at + RECOVERY_SECONDS
        while (answer := acknowledgements.first_started_after(killed_at)) is None:
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

    def _wait(self, deadline: float, failure: str) -> None:
        if self._clock.monotonic() > deadline:
            raise Unavailable(failure)
        time.sleep(_POLL_SECONDS)
