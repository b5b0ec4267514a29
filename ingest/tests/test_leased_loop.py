"""Tests that a loader keeps the lease of a loop between runs, so that the work does not move between loaders."""

import asyncio
import threading
from pathlib import Path
from typing import Final

import pytest

from ingest import leased_loop
from ingest.leased_loop import LeasedLoop, wait_for_release
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import LEASE_SECONDS, read_lease, take_lease
from tests.eventually import eventually

LEASE: Final = "work"
NOW_NS: Final = 1_800_000_000 * 10**9


async def take(settings: Settings, holder: str, now_ns: int) -> bool:
    async with opened(settings.control_plane_url) as engine:
        return await take_lease(engine, LEASE, holder, now_ns)


async def read(settings: Settings) -> tuple[str, int] | None:
    async with opened(settings.control_plane_url) as engine:
        return await read_lease(engine, LEASE)


class Work(LeasedLoop):
    """Takes the lease in its first run, which lasts until `may_end` is set."""

    def __init__(self, settings: Settings, clock: ManualClock) -> None:
        super().__init__(settings, clock, "work", 0.01, LEASE)
        self.may_end = threading.Event()

    def run_once(self) -> None:
        if not self.may_end.is_set():
            assert asyncio.run(take(self._settings, self._holder, self._clock.now_ns()))
            self.may_end.wait()

    def is_held_until(self, seconds: float) -> bool:
        """Returns whether this loop has the lease until so many seconds after the present time."""
        return asyncio.run(read(self._settings)) == (self._holder, self._clock.now_ns() + round(seconds * 1e9))


def test_a_loop_keeps_its_lease_in_long_runs_and_between_runs(
    control_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leased_loop, "EXTEND_SECONDS", 0.01)
    settings, clock = Settings(home=control_home), ManualClock(NOW_NS)
    work = Work(settings, clock)
    work.start()
    try:
        for may_end in (False, False, True, True):
            eventually(lambda: work.is_held_until(LEASE_SECONDS), "the loop has the lease, or has extended it")
            clock.advance(LEASE_SECONDS - 1)
            if may_end:
                work.may_end.set()
        eventually(lambda: work.is_held_until(LEASE_SECONDS), "the lease is extended between runs")
    finally:
        work.may_end.set()
        work.stop()
        work.join()
    assert asyncio.run(read(settings)) is None
    eventually(lambda: not work._extension.is_alive(), "the extension ends with the loop")


def test_a_process_that_ends_waits_for_the_release_of_its_leases(
    control_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leased_loop, "RELEASE_SECONDS", 60.0)
    settings, clock = Settings(home=control_home), ManualClock(NOW_NS)
    work = Work(settings, clock)
    work.start()
    eventually(lambda: work.is_held_until(LEASE_SECONDS), "the loop has the lease")
    work.may_end.set()
    work.stop()
    wait_for_release([work])
    assert asyncio.run(read(settings)) is None


def test_a_process_that_ends_does_not_wait_for_a_long_run(control_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leased_loop, "RELEASE_SECONDS", 0.01)
    settings, clock = Settings(home=control_home), ManualClock(NOW_NS)
    works = [Work(settings, clock), Work(settings, clock)]
    works[0].start()
    try:
        eventually(lambda: works[0].is_held_until(LEASE_SECONDS), "the loop has the lease")
        works[0].stop()
        wait_for_release(works)
        assert works[0].is_alive()
    finally:
        works[0].may_end.set()
        works[0].stop()
        works[0].join()


def test_a_lease_that_the_loop_does_not_have_is_not_taken(control_home: Path) -> None:
    settings, clock = Settings(home=control_home), ManualClock(NOW_NS)
    work = Work(settings, clock)
    work._extension.run_once()
    assert asyncio.run(read(settings)) is None
    assert asyncio.run(take(settings, "another loader", NOW_NS))
    clock.advance(1)
    work._extension.run_once()
    assert asyncio.run(read(settings)) == ("another loader", NOW_NS + round(LEASE_SECONDS * 1e9))
