"""The API process: REST and web UI on one port."""

import asyncio
import socket

import uvicorn

from backend.app import create_app
from kit.clock import SystemClock
from kit.ops import serve_ops
from kit.server.certificates import Certificates, certificates
from kit.server.config import http_config
from kit.server.heap import freeze_program
from kit.server.limits import HttpLimits, raise_descriptor_limit
from kit.server.listener import bind
from kit.server.tls_server import TlsServer
from kit.settings import Settings
from kit.telemetry import start_telemetry
from kit.workers import keep_workers

PURPOSE = "the REST API and the web UI"

DRAIN_SECONDS = 5
"""Seconds that requests under way at SIGTERM have to finish."""


def run(settings: Settings) -> None:
    """Serves until SIGTERM or SIGINT; requests under way get a few seconds to finish. Raises Conflict."""
    telemetry = start_telemetry(settings, "api")
    try:
        if settings.api_workers == 1:
            serve(settings)
        else:
            # Not shared here: workers share the port with anyone who shares it too, and could not tell.
            bind(settings.bind_host, settings.port(settings.api_port), PURPOSE).close()
            asyncio.run(keep_workers("api", "backend.worker", settings.api_workers))
    finally:
        telemetry.shutdown()


def serve(settings: Settings, worker: int | None = None) -> None:
    """Serves as the only process, or as the numbered one of several that share the port. Raises Conflict."""
    raise_descriptor_limit()
    stopping = asyncio.Event()
    app = create_app(settings, SystemClock(), stopping, alone=worker is None)
    certificate = certificates(settings, SystemClock())
    server = _Server(http_config(app, HttpLimits.of(settings), DRAIN_SECONDS, lifespan=True), certificate, stopping)
    freeze_program()
    with bind(settings.bind_host, settings.port(settings.api_port), PURPOSE, share=worker is not None) as listener:
        if worker is None:
            server.run([listener])
            return
        # Readiness is the port's own: its probes belong to the event loop of the application.
        ops = serve_ops(settings.bind_host, settings.port(settings.api_ops_port) + worker, {})
        try:
            server.run([listener])
        finally:
            ops.stop()


class _Server(TlsServer):
    """Says first that it stops: a live tail has no end that could be waited for."""

    def __init__(self, config: uvicorn.Config, certificate: Certificates | None, stopping: asyncio.Event) -> None:
        super().__init__(config, certificate)
        self._stopping = stopping

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping.set()
        await super().shutdown(sockets)
