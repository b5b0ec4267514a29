"""A bench whose studies measure a stack of the tests, so that the smoke run of a study does not start its own stack."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from kit.clock import SystemClock
from kit.settings import Settings
from loadtest.bench import Bench, Say, this_machine
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

    def __init__(self, stack: Stack, settings: Settings | None = None, say: Say = print) -> None:
        """`settings` are those of the stack with another database, which its owner alone may read."""
        super().__init__(SystemClock(), say, SEED, free_offset, stack.home, None, this_machine(), settings is not None)
        self.running_settings = lambda: stack.settings
        self._running = stack
        self._settings = settings or stack.settings

    @contextmanager
    def stack(self, *_services: str, settings: Mapping[str, str] | None = None) -> Iterator[OwnStack]:
        """Yields the running stack, which has all services. `settings` must be those that it was started with."""
        given = {f"LOGSIEVE_{name.upper()}": str(value) for name, value in self._settings.model_dump().items()}
        assert (settings or {}).items() <= given.items()
        environment = stack_environment(self._running.home, self._settings.port_offset, {})
        yield SharedStack(self._running.home, self._settings, Services(self._running.home), environment)

    @contextmanager
    def stack_in(self, _home: Path, *services: str, settings: Mapping[str, str] | None = None) -> Iterator[OwnStack]:
        """Yields the running stack, whose data are not in the study's folder."""
        with self.stack(*services, settings=settings) as stack:
            yield stack


def write_page(study: Study, report: Report, command: str, folder: Path) -> str:
    """Stores the report as a result of `command` in the folder, and returns the study's page that is made of it."""
    record(study.name, report.model_dump_json(), command, datetime.now(UTC).date(), None, folder)
    return (folder / study.page).read_text()
