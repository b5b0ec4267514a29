"""Tests receivers that share a day's count through a real SQLite file."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import insert
from structlog.testing import capture_logs

from ingest.receiver.quota import DayQuota
from ingest.receiver.tests.fakes import NOW
from kit.clock import DAY_NS, ManualClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.models import TenantRow
from schema.migrate import migrate_control


async def prepare(settings: Settings) -> None:
    async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
        await connection.execute(insert(TenantRow).values(id=7, name="demo", lane=0, body_max_bytes=1, created_at_ns=0))


def test_receivers_know_of_each_others_bytes(control_home: Path) -> None:
    settings = Settings(home=control_home)

    async def share() -> None:
        await prepare(settings)
        clock = ManualClock(NOW)
        one, other = (DayQuota(settings.control_plane_url, clock) for _ in range(2))
        one.sent(7, 10)
        assert (one.sent_today(7), other.sent_today(7)) == (10, 0)
        await one.share()
        await other.share()
        other.sent(7, 5)
        assert (one.sent_today(7), other.sent_today(7)) == (10, 15)
        await other.stop()
        await one.share()
        assert one.sent_today(7) == 15
        clock.advance(one.seconds_left())
        assert one.sent_today(7) == 0
        assert one.seconds_left() == DAY_NS / 1e9
        await one.stop()

    asyncio.run(share())


def test_nothing_is_lost_while_the_control_plane_is_unreachable(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)

    async def outage() -> None:
        quota = DayQuota(settings.control_plane_url, ManualClock(NOW))
        await quota.start()  # there are no tables yet
        quota.sent(7, 10)
        await quota.share()
        assert quota.sent_today(7) == 10
        await migrate_control(settings)
        await prepare(settings)
        await quota.stop()
        after = DayQuota(settings.control_plane_url, ManualClock(NOW))
        await after.start()
        assert after.sent_today(7) == 10
        await after.stop()

    asyncio.run(outage())


def test_a_control_plane_that_never_answers_holds_up_neither_start_nor_stop(
    control_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class SilentEngine:
        @asynccontextmanager
        async def begin(self) -> AsyncIterator[None]:
            await asyncio.Event().wait()
            yield

        async def dispose(self) -> None: ...

    async def start_and_stop() -> int:
        quota = DayQuota(Settings(home=control_home).control_plane_url, ManualClock(NOW))
        monkeypatch.setattr(quota, "_engine", SilentEngine())
        async with asyncio.timeout(10):
            await quota.start()
            quota.sent(7, 10)
            await quota.stop()
        return quota.sent_today(7)

    monkeypatch.setattr("ingest.receiver.quota.ANSWER_SECONDS", 0.01)
    with capture_logs() as lines:
        assert asyncio.run(start_and_stop()) == 10
    assert lines[0]["error"] == "the database did not answer within 0.01 s"


def test_bytes_of_a_tenant_that_the_control_plane_lost_hold_up_no_others(control_home: Path) -> None:
    settings = Settings(home=control_home)

    async def share() -> None:
        await prepare(settings)
        one, other = (DayQuota(settings.control_plane_url, ManualClock(NOW)) for _ in range(2))
        one.sent(7, 10)
        one.sent(999, 10)
        await one.share()
        await other.share()
        assert other.sent_today(7) == 10
        await one.stop()
        await other.stop()

    asyncio.run(share())
