"""A bench whose studies measure a stack of the tests, so that the smoke run of a study does not start its own stack."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from kit.clock import SystemClock
from loadtest.bench import Bench
from loadtest.machine import this_machine
from loadtest.own_stack import OwnStack, Sender
from loadtest.report.report import Report
from loadtest.services import Services
from loadtest.study import Study
from stack.cli.loadtest import record
from tests.chance import SEED
from tests.running_stack import Stack, free_offset, stack_environment


class SharedStack(OwnStack):
    """A stack of the tests, which may have tenants of an earlier run of the same study."""

    def create_sender(self, tenant: str) -> Sender:
        return super().create_sender(f"{tenant}-{secrets.token_hex(4)}")


class SharedBench(Bench):
    """A bench that gives its studies a running stack, which continues to run after them."""

    def __init__(self, stack: Stack) -> None:
        super().__init__(SystemClock(), print, SEED, free_offset, stack.home, None, this_machine())
        self._running = stack

    @contextmanager
    def stack(self, *_services: str, settings: Mapping[str, str] | None = None) -> Iterator[OwnStack]:
        """Yields the running stack, which has all services. `settings` must be those that it was started with."""
        stack = self._running
        given = {f"LOGSIEVE_{name.upper()}": str(value) for name, value in stack.settings.model_dump().items()}
        assert (settings or {}).items() <= given.items()
        environment = stack_environment(stack.home, stack.settings.port_offset, {})
        yield SharedStack(stack.home, stack.settings, Services(stack.home), environment)


def write_page(study: Study, report: Report, command: str, folder: Path) -> str:
    """Stores the report as a result of `command` in the folder, and returns the study's page that is made of it."""
    record(study.name, report.model_dump_json(), command, datetime.now(UTC).date(), None, folder)
    return (folder / study.page).read_text()
