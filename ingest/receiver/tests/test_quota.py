"""Tests receivers that share a day's count through a real SQLite file."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import insert
from structlog.testing import capture_logs

from ingest.receiver.encoding import Encoding
from ingest.receiver.intake import Export
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.quota import DAY_NS, DayQuota
from ingest.receiver.tests.fakes import NOW, TENANT, Receiver, Topic
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.models import TenantRow
from schema.envelope import Envelope
from schema.migrate import migrate_control
from tests.ingest.requests import request_of


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


def test_a_call_that_the_client_cancels_counts(control_home: Path) -> None:
    class SlowTopic(Topic):
        async def send(self, envelope: Envelope, value: bytes) -> None:
            await super().send(envelope, value)
            await asyncio.Event().wait()

    async def cancel() -> None:
        receiver = Receiver(SlowTopic())
        intake = receiver.intake(Settings(home=control_home))
        body = request_of(NOW).SerializeToString()
        with MemoryBudget(100_000_000).share(TENANT.id) as share:
            share.grow(len(body))
            taking = asyncio.create_task(intake.take(TENANT, Export(body, Encoding.protobuf, ""), share))
            while not receiver.topic.messages:
                await asyncio.sleep(0.001)
            taking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await taking
        intake.close()
        ((_, value),) = receiver.topic.messages
        assert receiver.quota.counts == {TENANT.id: len(value)}

    asyncio.run(cancel())
