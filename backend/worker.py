"""Runs one of several API processes on the same port: kit.workers starts `python -m backend.worker INDEX COUNT`."""

import math
import os
import signal
import sys
import threading
from typing import Final

from backend.main import serve
from kit.settings import Settings
from kit.telemetry import start_telemetry

DIVIDED: Final = (
    "query_max_concurrent",
    "query_max_concurrent_per_tenant",
    "query_max_waiting_per_tenant",
    "export_max",
    "export_max_concurrent",
    "export_max_per_tenant",
    "tail_max",
    "tail_max_per_tenant",
)
"""Settings whose limit applies to all workers together. Each worker gets an equal part.

A connection stays with its worker, so a tenant with one connection can use only that worker's part.
"""


def part_of(settings: Settings, count: int) -> Settings:
    """Returns the settings of one of `count` workers: limits are divided, and rounded up."""
    return settings.model_copy(update={name: math.ceil(getattr(settings, name) / count) for name in DIVIDED})


def main(index: int, count: int) -> None:
    """Serves until SIGTERM or SIGINT, or until standard input ends because the parent process has ended."""
    settings = Settings()
    telemetry = start_telemetry(settings, "api")
    threading.Thread(target=_stop_at_end, name="input-end", daemon=True).start()
    try:
        serve(part_of(settings, count), worker=index)
    finally:
        telemetry.shutdown()


def _stop_at_end() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
