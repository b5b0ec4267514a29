"""Tests that a migration of the log tables and the creation of lanes exclude each other."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from kit.clock import Clock, ManualClock, SystemClock
from kit.errors import Conflict, Unavailable
from kit.settings import Settings
from schema import migrate
from schema.control.database import opened
from schema.control.held_lease import WAIT_SECONDS, HeldLease, holding
from schema.control.lease import LANES, LEASE_SECONDS, release_lease, take_lease

NOW: Final = 1_800_000_000 * 10**9


def loader_takes(settings: Settings, clock: Clock) -> bool:
    """Returns whether a loader gets the lease to create lanes. Keeps it then."""

    async def take() -> bool:
        async with opened(settings.control_plane_url) as engine:
            return await take_lease(engine, LANES, "loader", clock.now_ns())

    return asyncio.run(take())


def loader_gives_up(settings: Settings) -> None:
    async def release() -> None:
        async with opened(settings.control_plane_url) as engine:
            await release_lease(engine, LANES, "loader")

    asyncio.run(release())


def test_no_loader_creates_a_lane_while_the_log_tables_are_migrated(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(home=tmp_path, control_url=control_url, clickhouse_replicas=2)
    tables = {"logs_0": {"timestamp"}}

    def upgrade(_replica: Settings, _lanes: Sequence[int], *_: object) -> None:
        present = [*tables.values()]
        if loader_takes(settings, SystemClock()):
            tables["logs_1"] = set(tables["logs_0"])
        for columns in present:
            columns.add("record_json")

    monkeypatch.setattr(migrate, "migrate_clickhouse", upgrade)
    monkeypatch.setattr(migrate, "_mark_before_new_replica", lambda *_: None)
    monkeypatch.setattr(migrate, "_mark_complete", lambda *_: None)
    monkeypatch.setattr(migrate, "ensure_topics", lambda _: None)
    reported: list[str] = []
    migrate.migrate(settings, reported.append)
    assert tables == {"logs_0": {"timestamp", "record_json"}}
    assert sum("up to date" in each for each in reported) == 3
    assert loader_takes(settings, SystemClock())


def test_a_held_lease_lasts_longer_than_one_that_is_not_extended(tmp_path: Path, control_url: str) -> None:
    settings, clock = Settings(home=tmp_path, control_url=control_url), ManualClock(NOW)
    lease, said = HeldLease(settings.control_plane_url, LANES, clock), list[str]()
    with holding(lease, clock, said.append):
        for _ in range(3):
            clock.advance(LEASE_SECONDS - 1)
            lease.run_once()
            assert not loader_takes(settings, clock)
        assert not said
        clock.advance(LEASE_SECONDS + 1)
        assert loader_takes(settings, clock)
        with pytest.raises(Conflict, match="another process has taken it"):
            lease.run_once()


def test_a_lease_that_a_loader_has_taken_and_released_is_lost(tmp_path: Path, control_url: str) -> None:
    """A process that was suspended for longer than the lease lasts must notice that a loader created lanes."""
    settings, clock = Settings(home=tmp_path, control_url=control_url), ManualClock(NOW)
    lease = HeldLease(settings.control_plane_url, LANES, clock)
    with holding(lease, clock, lambda _: None):
        clock.advance(LEASE_SECONDS + 1)
        lease.require_held()
        clock.advance(LEASE_SECONDS + 1)
        assert loader_takes(settings, clock)
        loader_gives_up(settings)
        with pytest.raises(Conflict, match="another process has taken it: run the command again"):
            lease.require_held()


def test_a_migration_waits_for_a_loader_that_creates_lanes(tmp_path: Path, control_url: str) -> None:
    settings, clock = Settings(home=tmp_path, control_url=control_url), ManualClock(NOW)
    assert loader_takes(settings, clock)
    pauses, said = list[float](), list[str]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            loader_gives_up(settings)

    with holding(HeldLease(settings.control_plane_url, LANES, clock), clock, said.append, pause):
        assert len(pauses) == 3
        assert said == [
            "waiting up to 120 s: process loader (host, process id, random digits) holds the lease `lanes`. If that"
            " process was killed, its lease ends in 60 s"
        ]
        assert not loader_takes(settings, clock)


def test_a_migration_gives_up_when_loaders_keep_the_lease(tmp_path: Path, control_url: str) -> None:
    settings, clock = Settings(home=tmp_path, control_url=control_url), ManualClock(NOW)

    def pause(_seconds: float) -> None:
        clock.advance(LEASE_SECONDS / 2)
        assert loader_takes(settings, clock)

    assert loader_takes(settings, clock)
    with (
        pytest.raises(
            Unavailable, match=rf"process loader .* has kept the lease `lanes`, .* waited {WAIT_SECONDS:g} s"
        ),
        holding(HeldLease(settings.control_plane_url, LANES, clock), clock, lambda _: None, pause),
    ):
        pass
