"""One receiver process: both OTLP ports in one event loop.

kit.workers starts it as `python -m ingest.receiver.worker INDEX COUNT`. It exits when its standard input closes, which
happens when its parent dies.
"""

import asyncio
import os
import signal
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Protocol

import structlog
import uvloop

from ingest.receiver.gate import Gate
from ingest.receiver.grpc import grpc_server
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake
from ingest.receiver.listen import listen
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.producer import TopicProducer
from ingest.receiver.quota import DayQuota
from ingest.receiver.refused import RefusalCounter
from ingest.receiver.sizing import worker_memory
from kit.clock import SystemClock
from kit.errors import Internal
from kit.ops import Notice, Probe, serve_ops
from kit.server.heap import freeze_program
from kit.server.limits import raise_descriptor_limit
from kit.settings import Settings
from kit.switch_interval import shorten_switch_interval
from kit.telemetry import start_telemetry
from schema.control.directory import open_directory
from schema.topic import topic_probe

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Worker:
    """Index of this receiver process, from 0, and the number of receiver processes."""

    index: int
    count: int


async def serve(settings: Settings, worker: Worker, *, ends_with_input: bool = False) -> None:
    """Receives until SIGTERM or SIGINT (or the end of standard input), then answers the requests in progress.

    Raises InvalidRequest when the largest request would not fit into its memory, Conflict when a port is taken,
    Internal when the Kafka producer failed permanently.
    """
    memory = worker_memory(settings, worker.count)
    raise_descriptor_limit()
    shorten_switch_interval()
    stopping = _stop_on_signals()
    if ends_with_input:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), _stop_at_end, stopping)
    failed = asyncio.Event()

    def producer_failed() -> None:
        failed.set()
        stopping.set()

    clock = SystemClock()
    directory = open_directory(settings, clock)
    quota = DayQuota(settings.control_plane_url, clock)
    producer = TopicProducer(
        settings, memory, lambda tenant_id: directory.ways(tenant_id).written(clock.now_ns()), producer_failed, clock
    )
    refused = RefusalCounter(producer, directory.tenant, clock)
    gate = Gate(1 / worker.count, quota, clock)
    intake = Intake(settings, directory, producer, gate, quota, refused, clock)
    async with AsyncExitStack() as parts:
        parts.push_async_callback(directory.stop)
        parts.push_async_callback(quota.stop)
        parts.push_async_callback(producer.close)
        parts.push_async_callback(refused.stop)
        parts.callback(intake.close)
        await asyncio.gather(directory.start(), quota.start())
        refused.start()
        probes = receiver_probes(directory, producer, topic_probe(settings))
        if worker.count > 1:
            port = settings.worker_port("receiver", settings.receiver_ops_port, worker.index)
            ops = serve_ops(settings.bind_host, port, probes)
            parts.callback(ops.stop)
        budget = MemoryBudget(memory)
        app = http_app(settings, intake, budget, probes, alone=worker.count == 1)
        grpc = grpc_server(settings, intake, budget, share_port=worker.count > 1)
        freeze_program()
        log.info("receiver starts", worker=worker.index, workers=worker.count)
        await listen(settings, app, grpc, share_ports=worker.count > 1, stopping=stopping)
    log.info("receiver stopped", worker=worker.index)
    if failed.is_set():
        raise Internal("the Kafka producer failed and cannot recover; start the receiver again")


class Problem(Protocol):
    """The part of schema.control.directory.Directory and of TopicProducer that says what is wrong."""

    def problem(self) -> str | None: ...


def receiver_probes(directory: Problem, producer: Problem, topic: Probe) -> dict[str, Probe]:
    """Returns the checks of /readyz.

    Kafka is not ready while the receiver refuses requests because of it, even if the brokers answer. Once a request may
    be tried again, only the answers of the brokers count, so that a receiver to which nobody sends becomes ready.
    """

    async def keys() -> str | None:
        return directory.problem()

    async def kafka() -> str | None:
        reason = await topic()
        # The reason of the topic's probe comes first, because it names a wrong setting if there is one.
        return reason if reason and not isinstance(reason, Notice) else producer.problem() or reason

    return {"keys": keys, "kafka": kafka}


def _stop_on_signals() -> asyncio.Event:
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    return stopping


def _stop_at_end(stopping: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 1):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        stopping.set()


def main(index: int, count: int) -> None:
    """Runs one of several workers."""
    settings = Settings()
    telemetry = start_telemetry(settings, "receiver")
    try:
        uvloop.run(serve(settings, Worker(index, count), ends_with_input=True))
    finally:
        telemetry.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
