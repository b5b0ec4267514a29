"""The API process: REST and web UI on one port."""

import asyncio
import socket

import uvicorn

from backend.app import create_app
from kit.clock import SystemClock
from kit.settings import Settings
from kit.telemetry import start_telemetry


def run(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; requests under way get a few seconds to finish."""
    telemetry = start_telemetry(settings, "api")
    try:
        stopping = asyncio.Event()
        config = uvicorn.Config(
            create_app(settings, SystemClock(), stopping),
            host=settings.bind_host,
            port=settings.port(settings.api_port),
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=5,
        )
        _Server(config, stopping).run()
    finally:
        telemetry.shutdown()


class _Server(uvicorn.Server):
    """Says first that it stops: a live tail has no end that could be waited for."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping.set()
        await super().shutdown(sockets)
