"""The API process: REST and web UI on one port."""

import asyncio
import socket

import uvicorn

from backend.app import create_app
from kit.clock import SystemClock
from kit.server.certificates import Certificates, certificates
from kit.server.config import http_config
from kit.server.limits import HttpLimits, raise_descriptor_limit
from kit.server.listener import bind
from kit.server.tls_server import TlsServer
from kit.settings import Settings
from kit.telemetry import start_telemetry

DRAIN_SECONDS = 5
"""Seconds that requests under way at SIGTERM have to finish."""


def run(settings: Settings) -> None:
    """Serves until SIGTERM or SIGINT; requests under way get a few seconds to finish. Raises Conflict."""
    telemetry = start_telemetry(settings, "api")
    raise_descriptor_limit()
    try:
        stopping = asyncio.Event()
        app = create_app(settings, SystemClock(), stopping)
        certificate = certificates(settings, SystemClock())
        config = http_config(app, HttpLimits.of(settings), DRAIN_SECONDS, lifespan=True)
        with bind(settings.bind_host, settings.port(settings.api_port), "the REST API and the web UI") as listener:
            _Server(config, certificate, stopping).run([listener])
    finally:
        telemetry.shutdown()


class _Server(TlsServer):
    """Says first that it stops: a live tail has no end that could be waited for."""

    def __init__(self, config: uvicorn.Config, certificate: Certificates | None, stopping: asyncio.Event) -> None:
        super().__init__(config, certificate)
        self._stopping = stopping

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping.set()
        await super().shutdown(sockets)
