"""Starts telemetry, and keeps the lines that it logs."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit.settings import Settings
from kit.telemetry import Telemetry, start_telemetry


@pytest.fixture
def lines() -> io.StringIO:
    """Returns the lines that the process logged."""
    return io.StringIO()


@pytest.fixture
def telemetry(lines: io.StringIO, tmp_path: Path) -> Iterator[Telemetry]:
    running = start_telemetry(Settings(home=tmp_path), "test", stream=lines)
    yield running
    running.shutdown()
