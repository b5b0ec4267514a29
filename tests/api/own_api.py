"""Starts a further API process for one test, over the data of the running stack but with other settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kit.settings import Settings
from tests.forked_module import ForkedModule
from tests.running_stack import Stack, answers_ok, borrowed_offset, stack_environment, wait_until_ready


@dataclass(frozen=True, slots=True)
class OwnApi:
    """An API process: its id, and the base URL of its REST API and of its other routes."""

    pid: int
    url: str
    root: str


@contextmanager
def own_api(stack: Stack, log_file: Path, **settings: str) -> Iterator[str]:
    """Runs an API process of its own within the block, and yields the base URL of its REST API.

    `settings` are LOGSIEVE_ variables without the prefix. The process logs into `log_file`.
    """
    with own_api_process(stack, log_file, **settings) as api:
        yield api.url


@contextmanager
def own_api_process(stack: Stack, log_file: Path, **settings: str) -> Iterator[OwnApi]:
    """Runs an API process like `own_api`, and yields more about it."""
    variables = {
        "LOGSIEVE_CONTROL_REFRESH_SECONDS": "0.2",
        "LOGSIEVE_CLICKHOUSE_URL": stack.settings.topology.text,
        **stack.broker_variables(),
    } | {f"LOGSIEVE_{name}": value for name, value in settings.items()}
    with borrowed_offset() as offset:
        own = Settings(port_offset=offset)
        root = f"http://127.0.0.1:{own.port(own.api_port)}"
        api = ForkedModule(("stack", "api"), stack_environment(stack.home, offset, variables), log_file)
        try:
            wait_until_ready(api, lambda: answers_ok(f"{root}/readyz"), log_file)
            yield OwnApi(api.pid, f"{root}/api/v1", root)
        finally:
            api.terminate()
            api.wait(30)
