"""The receiver's two ports."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import grpc
import uvicorn
from starlette.applications import Starlette

from ingest.receiver.producer import DELIVERY_MS
from kit.errors import Conflict
from kit.settings import Settings

DRAIN_SECONDS = DELIVERY_MS // 1000 + 2
"""Requests that are under way at SIGTERM are answered: each has Kafka's answer by then, or an error."""

BACKLOG = 2048


async def listen(
    settings: Settings, app: Starlette, grpc_server: grpc.aio.Server, share_ports: bool, stopping: asyncio.Event
) -> None:
    """Serves both until `stopping`, or until one ends, then drains both at once. Raises Conflict."""
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
    grpc_address = f"{settings.bind_host}:{settings.port(settings.otlp_grpc_port)}"
    with bind(settings.bind_host, settings.port(settings.otlp_http_port), "OTLP/HTTP", share_ports) as listener:
        try:
            grpc_server.add_insecure_port(grpc_address)
        except RuntimeError as error:
            raise Conflict(f"cannot listen on {grpc_address} for OTLP/gRPC: {error}") from error
        await grpc_server.start()
        serving = asyncio.create_task(http.serve([listener]), name="otlp-http")
        serving.add_done_callback(lambda _: stopping.set())
        await stopping.wait()
        http.should_exit = True
        await asyncio.gather(serving, grpc_server.stop(DRAIN_SECONDS))


def bind(host: str, port: int, purpose: str, share: bool) -> socket.socket:
    """A listening socket; `share` lets others that share it too listen on the same port. Raises Conflict.

    Bound here because uvicorn ends the whole process when a port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG, reuse_port=share)
    except OSError as error:
        raise Conflict(f"cannot listen on {host}:{port} for {purpose}: {error.strerror}") from error


class _HttpServer(uvicorn.Server):
    """Leaves signals to the worker: two servers share the process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
