"""Starts a receiver or an API process for tests, and waits until its ports accept connections."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from kit.settings import Settings
from loadtest.hostile.attacks_http import Listener
from tests.forked_module import ForkedModule
from tests.running_stack import borrowed_offset, stack_environment, wait_until_ready

STOP_SECONDS: Final = 60.0


@contextmanager
def receiver(log: Path, settings: dict[str, str], files: int | None = None) -> Iterator[Settings]:
    """Runs a receiver over a topic in memory and yields its settings. `files` is its limit of open descriptors."""
    arguments = () if files is None else (str(files),)
    command = ("tests.listeners.receiver_process", *arguments)
    with _process(command, log.parent / "home", log, settings, ("otlp_http_port", "otlp_grpc_port")) as own:
        yield own


@contextmanager
def api(home: Path, log: Path, settings: dict[str, str]) -> Iterator[Settings]:
    """Runs an API process without ClickHouse and Kafka, and yields its settings."""
    with _process(("stack", "api"), home, log, settings, ("api_port",)) as own:
        yield own


def http_listener(settings: Settings, port: int) -> Listener:
    """Returns the port of a process whose number is `port` plus the process's port offset."""
    return Listener("127.0.0.1", settings.port(port))


@contextmanager
def _process(
    command: tuple[str, ...], home: Path, log: Path, settings: dict[str, str], ports: tuple[str, ...]
) -> Iterator[Settings]:
    """Runs a process, and waits for its `ports`, which are names of settings."""
    with borrowed_offset() as offset:
        variables = {f"LOGSIEVE_{name}": value for name, value in settings.items()}
        process = ForkedModule(command, stack_environment(home, offset, variables), log)
        try:
            own = Settings(port_offset=offset)
            for port in ports:
                wait_until_ready(process, partial(_accepts, own.port(getattr(own, port))), log)
            yield own
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True
