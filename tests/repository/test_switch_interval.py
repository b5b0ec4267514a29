"""Tests that each process whose threads compute beside an event loop shortens the switch interval when it starts."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from unittest.mock import Mock

import pytest

import backend.alerts.worker
import backend.main
import ingest.receiver.worker
from kit.settings import Settings
from kit.switch_interval import SWITCH_SECONDS


class Stop(Exception):
    """Ends the start of a process."""


def stop(*_: object, **__: object) -> None:
    raise Stop


@pytest.fixture(autouse=True)
def interval() -> Iterator[None]:
    """Restores the interval of the test process."""
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


def api(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(backend.main, "raise_descriptor_limit", lambda: None)
    patch.setattr(backend.main, "create_app", stop)
    backend.main.serve(Settings())


def alert_worker(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(backend.alerts.worker, "start_telemetry", Mock())
    patch.setattr(backend.alerts.worker, "open_directory", stop)
    backend.alerts.worker.run(Settings())


def receiver(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ingest.receiver.worker, "raise_descriptor_limit", lambda: None)
    patch.setattr(ingest.receiver.worker, "open_directory", stop)
    asyncio.run(ingest.receiver.worker.serve(Settings(), ingest.receiver.worker.Worker(0, 1)))


@pytest.mark.parametrize("process", [api, alert_worker, receiver])
def test_the_interval_is_short(process: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Stop):
        process(monkeypatch)
    assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
