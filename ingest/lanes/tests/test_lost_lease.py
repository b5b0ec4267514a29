"""Tests that no lane is created after the lease was lost, because a migration may change the tables then."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest
from sqlalchemy import select

from ingest.lanes import owner
from ingest.lanes.owner import LaneOwner
from ingest.lanes.plan import Group, LanePlan
from kit.clock import ManualClock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import LANES, LEASE_SECONDS, take_lease
from schema.control.models import Lane

NOW_NS: Final = 1_800_000_000 * 10**9
THIS, OTHER = "this loader", "logsieve migrate"


@pytest.mark.parametrize(("holder", "created"), [(THIS, [9]), (OTHER, [])])
def test_a_lane_is_created_only_while_no_other_process_has_the_lease(
    holder: str, created: list[int], control_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, clock, tables = Settings(home=control_home, clickhouse_url="http://a:1"), ManualClock(NOW_NS), list[int]()
    monkeypatch.setattr(owner, "connect", lambda *_, **_names: nullcontext(SimpleNamespace()))
    monkeypatch.setattr(owner, "read_lane_searches", lambda _: {})
    monkeypatch.setattr(owner, "read_parts", lambda _: {})
    monkeypatch.setattr(owner, "plan_moves", lambda *_: LanePlan((9,), {Group(0, "r30"): 9}))
    monkeypatch.setattr(owner, "create_local_tables", lambda _client, _database, lane: tables.append(lane))

    async def run() -> list[int]:
        async with opened(settings.control_plane_url) as engine:
            assert await take_lease(engine, LANES, holder, NOW_NS)
            with nullcontext() if created else pytest.raises(Unavailable, match="has taken the lease `lanes`"):
                await LaneOwner(settings, clock, THIS).run_once(engine)
            async with engine.connect() as connection:
                return [*await connection.scalars(select(Lane.number).order_by(Lane.number))]

    assert asyncio.run(run()) == [*range(settings.lanes), *created]
    assert tables == created


def test_a_lane_is_not_created_on_further_servers_after_the_lease_was_lost(
    control_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, clock = Settings(home=control_home, clickhouse_url="http://a:1,http://b:1"), ManualClock(NOW_NS)
    tables = list[int]()

    async def take() -> bool:
        async with opened(settings.control_plane_url) as engine:
            return await take_lease(engine, LANES, OTHER, clock.now_ns())

    def create_slowly(_client: object, _database: str, lane: int) -> None:
        tables.append(lane)
        clock.advance(LEASE_SECONDS + 1)
        with ThreadPoolExecutor() as other:
            assert other.submit(lambda: asyncio.run(take())).result()

    async def run() -> None:
        async with opened(settings.control_plane_url) as engine:
            await LaneOwner(settings, clock, THIS)._create_tables(engine, [SimpleNamespace()] * 2, (1,))  # type: ignore[list-item]  # replaced clients

    monkeypatch.setattr(owner, "create_local_tables", create_slowly)
    with pytest.raises(Unavailable, match="has taken the lease `lanes`"):
        asyncio.run(run())
    assert tables == [1]
