"""The API process: REST and web UI on one port."""

import asyncio
import socket

import uvicorn

from backend.app import create_app
from kit.clock import SystemClock
from kit.ops import serve_ops
from kit.server.accepting_server import AcceptingServer
from kit.server.certificates import Certificates, certificates
from kit.server.config import http_config
from kit.server.heap import freeze_program
from kit.server.limits import HttpLimits, raise_descriptor_limit
from kit.server.listener import bind
from kit.settings import Settings
from kit.switch_interval import shorten_switch_interval
from kit.telemetry import start_telemetry
from kit.workers import keep_workers

PURPOSE = "the REST API and the web UI"

DRAIN_SECONDS = 5
"""Seconds that requests under way at SIGTERM have to finish."""


def run(settings: Settings) -> None:
    """Serves until SIGTERM or SIGINT, then gives open requests DRAIN_SECONDS to finish.

    Raises InvalidRequest when there is no port for the operations routes of a worker, Conflict when another process has
    the port.
    """
    if settings.api_workers > 1:
        settings.worker_port("api", settings.api_ops_port, settings.api_workers - 1)
    telemetry = start_telemetry(settings, "api")
    try:
        if settings.api_workers == 1:
            serve(settings)
        else:
            # A test bind without SO_REUSEPORT finds another process on the port. The workers share the port, so that
            # their binds would succeed.
            bind(settings.bind_host, settings.port(settings.api_port), PURPOSE).close()
            asyncio.run(keep_workers("api", "backend.worker", settings.api_workers))
    finally:
        telemetry.shutdown()


def serve(settings: Settings, worker: int | None = None) -> None:
    """Serves as the only process, or as worker number `worker` of several that share the port. Raises Conflict."""
    raise_descriptor_limit()
    shorten_switch_interval()
    stopping = asyncio.Event()
    app = create_app(settings, SystemClock(), stopping, alone=worker is None)
    certificate = certificates(settings, SystemClock())
    server = _Server(http_config(app, HttpLimits.of(settings), DRAIN_SECONDS, lifespan=True), certificate, stopping)
    freeze_program()
    with bind(settings.bind_host, settings.port(settings.api_port), PURPOSE, share=worker is not None) as listener:
        if worker is None:
            server.run([listener])
            return
        # Readiness is served on the shared port, because its probes need the application's event loop.
        ops = serve_ops(settings.bind_host, settings.worker_port("api", settings.api_ops_port, worker), {})
        try:
            server.run([listener])
        finally:
            ops.stop()


class _Server(AcceptingServer):
    """Signals `stopping` before it waits for open requests, because a live tail does not end by itself."""

    def __init__(self, config: uvicorn.Config, certificate: Certificates | None, stopping: asyncio.Event) -> None:
        super().__init__(config, certificate)
        self._stopping = stopping

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping.set()
        await super().shutdown(sockets)
