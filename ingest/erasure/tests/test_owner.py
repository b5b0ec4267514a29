"""Tests how long the erasure of a deleted tenant waits for receivers."""

from typing import Final

import pytest

from ingest.erasure.owner import Owner
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.erasures import Erasure, Progress

NOW: Final = 1_800_000_000 * 10**9
SECOND: Final = 10**9
AFTER: Final = 60.0


@pytest.mark.parametrize(
    ("deleted_at", "wait_seconds"),
    [
        (NOW, AFTER),
        # The clock of the host that deleted the tenant is behind or ahead.
        (NOW - 120 * SECOND, AFTER),
        (NOW + 3600 * SECOND, AFTER),
        # The deletion is old, and this process has just started.
        (NOW - 361 * SECOND, 0.0),
    ],
)
def test_the_wait_does_not_depend_on_the_clock_of_another_host(deleted_at: int, wait_seconds: float) -> None:
    clock = ManualClock(NOW)
    owner = Owner(Settings(erasure_after_seconds=AFTER), clock, "this process")
    erasure = Erasure(7, "acme", deleted_at, "logsieve-loader", None, Progress(), None)

    waited = 0.0
    while not owner._has_waited(erasure):
        clock.advance(1.0)
        waited += 1.0

    assert waited == wait_seconds
