"""The API process: REST and web UI on one port."""

import uvicorn

from backend.app import create_app
from kit.clock import SystemClock
from kit.settings import Settings
from kit.telemetry import start_telemetry


def run(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; requests under way get a few seconds to finish."""
    telemetry = start_telemetry(settings, "api")
    try:
        uvicorn.run(
            create_app(settings, SystemClock()),
            host=settings.bind_host,
            port=settings.port(settings.api_port),
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=5,
        )
    finally:
        telemetry.shutdown()
