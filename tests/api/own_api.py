"""Starts a further API process for one test, over the data of the running stack but with other settings."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

from kit.settings import Settings
from kit.tls import trusted
from tests.forked_module import ForkedModule
from tests.running_stack import Stack, borrowed_offset

READY_SECONDS = 60.0


@contextmanager
def own_api(stack: Stack, log_file: Path, **settings: str) -> Iterator[str]:
    """Runs an API process of its own within the block, and yields the base URL of its REST API.

    `settings` are LOGSIEVE_ variables without the prefix. The process logs into `log_file`.
    """
    with borrowed_offset() as offset:
        yield from _running(stack, log_file, offset, settings)


def _running(stack: Stack, log_file: Path, offset: int, settings: dict[str, str]) -> Iterator[str]:
    environment = {
        "LOGSIEVE_HOME": str(stack.home),
        "LOGSIEVE_PORT_OFFSET": str(offset),
        "LOGSIEVE_CONTROL_REFRESH_SECONDS": "0.2",
        "LOGSIEVE_CLICKHOUSE_URL": stack.settings.topology.text,
        **stack.broker_variables(),
    } | {f"LOGSIEVE_{name}": value for name, value in settings.items()}
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LOGSIEVE_")}
    own = Settings(port_offset=offset)
    root = f"http://127.0.0.1:{own.port(own.api_port)}"
    api = ForkedModule(("stack", "api"), clean | environment, log_file)
    try:
        deadline = time.monotonic() + READY_SECONDS
        while not _ready(root):
            assert api.poll() is None, log_file.read_text()
            assert time.monotonic() < deadline, log_file.read_text()
            time.sleep(0.1)
        yield f"{root}/api/v1"
    finally:
        api.terminate()
        api.wait(30)


def _ready(root: str) -> bool:
    try:
        return httpx2.get(f"{root}/readyz", timeout=5, verify=trusted()).status_code == 200
    except httpx2.TransportError:
        return False
