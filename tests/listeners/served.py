"""Starts a receiver or an API process for tests, and waits until its ports accept connections."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kit.settings import Settings
from loadtest.hostile.attacks_http import Listener
from tests.running_stack import borrowed_offset

READY_SECONDS: Final = 60.0


@contextmanager
def receiver(log: Path, settings: dict[str, str], files: int | None = None) -> Iterator[Settings]:
    """Runs a receiver over a topic in memory and yields its settings. `files` is its limit of open descriptors."""
    with _process(["-m", "tests.listeners.receiver_process"], log, files, settings) as own:
        for port in (own.otlp_http_port, own.otlp_grpc_port):
            _wait(own.port(port), log)
        yield own


@contextmanager
def api(home: Path, log: Path, settings: dict[str, str], files: int | None = None) -> Iterator[Settings]:
    """Runs an API process without ClickHouse and Kafka, and yields its settings."""
    with _process(["-m", "stack", "api"], log, files, {"HOME": str(home)} | settings) as own:
        _wait(own.port(own.api_port), log)
        yield own


def http_listener(settings: Settings, port: int) -> Listener:
    """Returns the port of a process whose number is `port` plus the process's port offset."""
    return Listener("127.0.0.1", settings.port(port))


@contextmanager
def _process(command: list[str], log: Path, files: int | None, settings: dict[str, str]) -> Iterator[Settings]:
    with borrowed_offset() as offset:
        yield from _running(command, log, files, settings, offset)


def _running(
    command: list[str], log: Path, files: int | None, settings: dict[str, str], offset: int
) -> Iterator[Settings]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LOGSIEVE_")}
    own = {f"LOGSIEVE_{name}": value for name, value in settings.items()} | {"LOGSIEVE_PORT_OFFSET": str(offset)}
    limited = [] if files is None else ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*limited, sys.executable, *command], env=clean | own, stdin=subprocess.PIPE, stdout=output, stderr=output
        )
    try:
        yield Settings(port_offset=offset)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _wait(port: int, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5):
                return
        except OSError:
            assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
