"""The receiver process: both OTLP ports in one event loop."""

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
import uvicorn
import uvloop

from ingest.receiver.grpc import grpc_server
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.producer import DELIVERY_MS, TopicProducer
from kit.clock import SystemClock
from kit.errors import Conflict, Internal
from kit.settings import Settings
from kit.telemetry import start_telemetry
from schema.control.directory import Directory
from schema.topic import topic_probe

log = structlog.get_logger()

DRAIN_SECONDS = DELIVERY_MS // 1000 + 2
"""Requests that are under way at SIGTERM are answered: each has Kafka's answer by then, or an error."""


def run(settings: Settings) -> None:
    """Receives until SIGTERM or SIGINT, then answers what it has begun.

    Raises Conflict when a port is taken, Internal when the Kafka producer failed for good.
    """
    telemetry = start_telemetry(settings, "receiver")
    try:
        uvloop.run(_serve(settings))
    finally:
        log.info("receiver stopped")
        telemetry.shutdown()


async def _serve(settings: Settings) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    failed = asyncio.Event()

    def producer_failed() -> None:
        failed.set()
        stopping.set()

    clock = SystemClock()
    directory = Directory(settings.control_plane_url, settings.control_refresh_seconds, clock)
    producer = TopicProducer(settings, producer_failed)
    intake = Intake(settings, directory, producer, clock)
    await directory.start()
    try:
        await _receive(settings, intake, directory, stopping)
    finally:
        intake.close()
        await producer.close()
        await directory.stop()
    if failed.is_set():
        raise Internal("the Kafka producer failed for good; starting again makes a new one")


async def _receive(settings: Settings, intake: Intake, directory: Directory, stopping: asyncio.Event) -> None:
    """Listens on both ports until `stopping`, then drains both at once."""

    async def keys() -> str | None:
        return directory.problem()

    budget = MemoryBudget(settings.receiver_memory_bytes)
    app = http_app(settings, intake, budget, {"keys": keys, "kafka": topic_probe(settings)})
    config = uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    http = _HttpServer(config)
    grpc = grpc_server(settings, intake, budget)
    grpc_address = f"{settings.bind_host}:{settings.port(settings.otlp_grpc_port)}"
    with _listen(settings.bind_host, settings.port(settings.otlp_http_port)) as listener:
        try:
            grpc.add_insecure_port(grpc_address)
        except RuntimeError as error:
            raise Conflict(f"cannot listen on {grpc_address} for OTLP/gRPC: {error}") from error
        await grpc.start()
        serving = asyncio.create_task(http.serve([listener]), name="otlp-http")
        serving.add_done_callback(lambda _: stopping.set())
        log.info("receiver started", grpc=grpc_address, http=listener.getsockname())
        await stopping.wait()
        http.should_exit = True
        await asyncio.gather(serving, grpc.stop(DRAIN_SECONDS))


def _listen(host: str, port: int) -> socket.socket:
    """Bound here because uvicorn ends the whole process when a port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise Conflict(f"cannot listen on {host}:{port} for OTLP/HTTP: {error.strerror}") from error


class _HttpServer(uvicorn.Server):
    """Leaves signals to this module: two servers share the process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
