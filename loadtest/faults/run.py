"""Runs the fault test: clients send while processes are killed; then each acknowledged record must be stored once."""

import random
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event
from typing import Final

from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.comparison import count
from loadtest.faults.inflict import CuttingProxy, kill, pause
from loadtest.faults.plan import Fault, Kind
from loadtest.faults.recovering import recovery
from loadtest.faults.study import FaultReport, Recovery
from loadtest.own_stack import OwnStack, needed
from loadtest.topic import wait_until_loaded
from loadtest.traffic.load import SETTLE_SECONDS, Load
from loadtest.traffic.otlp_grpc import GrpcConnection
from loadtest.traffic.otlp_http import HttpConnection
from loadtest.verdict import judge

TENANTS: Final = 3
_QUIET_SECONDS: Final = 1.0


def stack_settings(nodes: int, replicas: int) -> dict[str, str]:
    """Returns the settings of a stack with `nodes` shards, each of which gets records of every tenant."""
    numbers = {"LOGSIEVE_CLICKHOUSE_NODES": str(nodes), "LOGSIEVE_CLICKHOUSE_REPLICAS": str(replicas)}
    settings = dict(needed(numbers))
    if replicas == 1:
        # With short batches, the loader is between intent, insert and commit most of the time, where a kill is most
        # likely to reveal a mistake.
        settings["LOGSIEVE_LOADER_BATCH_SECONDS"] = "0.1"
    if nodes * replicas > 1:
        # Sends each request of a tenant to the next partition.
        settings["LOGSIEVE_TENANT_PARTITION_BYTES_PER_SECOND"] = "1"
    return settings


class FaultRun:
    """One run of planned faults on one stack. The seed of the bench also determines the records that clients send."""

    def __init__(self, bench: Bench, stack: OwnStack, faults: tuple[Fault, ...]) -> None:
        self._bench = bench
        self._clock = bench.clock
        self._stack = stack
        self._faults = faults

    def run(self) -> FaultReport:
        """Runs the test and returns its report.

        Raises Unavailable if the stack does not recover, InvalidRequest if the receiver refuses a request as invalid.
        """
        senders = [self._stack.create_sender(f"faults-{number}") for number in range(TENANTS)]
        with CuttingProxy(self._stack.otlp_http) as http, CuttingProxy(self._stack.otlp_grpc) as grpc:
            connects = (
                lambda sender: HttpConnection(self._stack.otlp_http, sender.ingest_key),
                lambda sender: HttpConnection(http.address, sender.ingest_key),
                lambda sender: GrpcConnection(grpc.address, sender.ingest_key),
            )
            with Load(self._bench, self._stack, senders, connects) as load:
                recoveries = self._inflict_all(load, (http, grpc))
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
            nodes=self._stack.settings.shards,
            acknowledged=sum(count(each.acknowledged) for each in sent.values()),
            recoveries=tuple(recoveries),
            **dict(judge(sent, self._stack.settings, self._clock)),
        )

    def _inflict_all(self, load: Load, proxies: Sequence[CuttingProxy]) -> list[Recovery]:
        """Inflicts all faults, and waits for the recovery from each kill. Pauses that still last then are ended."""
        services, rng, over = self._stack.services, random.Random(self._bench.seed), Event()
        recoveries: list[Recovery] = []
        kills: list[Future[Recovery]] = []
        pauses: list[Future[None]] = []
        with ThreadPoolExecutor(max(1, len(self._faults)), "fault") as pool, ExitStack() as ending:
            ending.callback(over.set)
            for number, fault in enumerate(self._faults, start=1):
                if not fault.overlapping:
                    recoveries += self._recovered(load, kills)
                    kills.clear()
                time.sleep(fault.after)
                self._bench.say(f"[{number}/{len(self._faults)}] {fault}")
                if fault.kind is Kind.cut:
                    for proxy in proxies:
                        proxy.cut(rng)
                elif fault.kind is Kind.pause:
                    pauses.append(pool.submit(pause, services, fault.target, fault.pause_seconds, over))
                else:
                    kill(services, fault.target, self._clock)
                    kills.append(pool.submit(recovery, fault.target, load, self._stack, self._clock, over))
                load.check()
            recoveries += self._recovered(load, kills)
        for each in pauses:
            each.result()
        return recoveries

    def _recovered(self, load: Load, kills: Sequence[Future[Recovery]]) -> list[Recovery]:
        recoveries = [each.result() for each in kills]
        for each in recoveries:
            self._bench.say(
                f"  {each.target}: acknowledged after {each.acknowledged_after:.1f} s,"
                f" found after {each.searchable_after:.1f} s"
            )
        load.forget()
        return recoveries
