"""The receiver's two ports."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import grpc
import uvicorn
from starlette.applications import Starlette

from ingest.receiver.grpc import PORTS
from ingest.receiver.grpc_connections import GrpcConnections
from ingest.receiver.producer import DELIVERY_MS
from kit.errors import Conflict
from kit.server.config import http_config
from kit.server.limits import HttpLimits, address_limit
from kit.server.listener import bind
from kit.settings import Settings

DRAIN_SECONDS = DELIVERY_MS // 1000 + 2
"""Requests that are under way at SIGTERM are answered: each has Kafka's answer by then, or an error."""


async def listen(
    settings: Settings, app: Starlette, grpc_server: grpc.aio.Server, share_ports: bool, stopping: asyncio.Event
) -> None:
    """Serves both until `stopping`, or until one ends, then drains both at once. Raises Conflict."""
    http = _HttpServer(http_config(app, HttpLimits.of(settings, PORTS), DRAIN_SECONDS))
    grpc_address = f"{settings.bind_host}:{settings.port(settings.otlp_grpc_port)}"
    with bind(settings.bind_host, settings.port(settings.otlp_http_port), "OTLP/HTTP", share=share_ports) as listener:
        try:
            grpc_server.add_insecure_port(grpc_address)
        except RuntimeError as error:
            raise Conflict(f"cannot listen on {grpc_address} for OTLP/gRPC: {error}") from error
        await grpc_server.start()
        serving = asyncio.create_task(http.serve([listener]), name="otlp-http")
        serving.add_done_callback(lambda _: stopping.set())
        port = settings.port(settings.otlp_grpc_port)
        watching = asyncio.create_task(GrpcConnections(port, address_limit(settings)).watch(), name="grpc-connections")
        await stopping.wait()
        watching.cancel()
        http.should_exit = True
        await asyncio.gather(serving, grpc_server.stop(DRAIN_SECONDS))


class _HttpServer(uvicorn.Server):
    """Leaves signals to the worker: two servers share the process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
