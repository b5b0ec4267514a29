"""Tests that loaders create a lane when the others are full, on a real server, and move tenants to it."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client
from pydantic import SecretStr

from backend.audit.service import AuditService
from backend.tenants.service import TenantService
from ingest.lanes import owner, search_planning
from ingest.lanes.owner import LaneOwner
from ingest.lanes.periodic import Lanes
from ingest.lanes.plan import LaneBounds, LanePlan
from kit.clickhouse import connect
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import LANES, take_lease
from schema.drift import find_drift
from schema.migrate import migrate_clickhouse, migrate_control
from tests.eventually import eventually
from tests.ingest.clickhouse_alone import clickhouse_alone, new_store

COHORTS = 6
FULL = 40


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    with clickhouse_alone(tmp_path_factory.mktemp("alone") / "home") as settings:
        yield settings


@pytest.fixture
def store(server: Settings, tmp_path: Path) -> Settings:
    """Returns the settings of a new store with one lane, and of a control plane with two tenants."""
    # The server's configuration has a user of searches for this database.
    database = server.clickhouse_database
    with connect(server, database="default") as client:
        client.command(f"DROP DATABASE IF EXISTS {database} SYNC")
        # Searches of the last hour count by the names of their tables.
        client.command("SYSTEM FLUSH LOGS")
        client.command("TRUNCATE TABLE IF EXISTS system.query_log SYNC")
    return new_store(server, tmp_path, database, lane_parts=FULL, max_lanes=2)


def insert(client: Client, lane: int, tenant_id: int, parts: int) -> None:
    for day in range(parts):
        client.command(
            f"INSERT INTO logs_{lane} (tenant_id, cohort, timestamp, id, body) VALUES ({tenant_id}, 't{tenant_id}',"
            f" toDateTime64('2026-01-01 00:00:00', 9, 'UTC') + toIntervalDay({day}), {day + 1}, 'word')"
        )


async def _relieve(settings: Settings) -> LanePlan:
    async with opened(settings.control_plane_url) as engine:
        return await LaneOwner(settings, SystemClock(), "this loader").run_once(engine)


async def _may_continue(settings: Settings) -> bool:
    async with opened(settings.control_plane_url) as engine:
        return await take_lease(engine, LANES, "another loader", SystemClock().now_ns())


async def _add_tenants(settings: Settings) -> list[int]:
    async with opened(settings.control_plane_url) as engine:
        service = TenantService(engine, SystemClock())
        found = []
        for number in range(COHORTS):
            created = await service.create_tenant(f"own-{number}", 30, 4096)
            await service.move(created.name, "own")
            found.append(created.id)
        return found


async def _lanes(settings: Settings) -> dict[int, int]:
    async with opened(settings.control_plane_url) as engine:
        return {each.id: each.lane for each in await TenantService(engine, SystemClock()).tenants()}


async def _audited(settings: Settings) -> list[str]:
    async with opened(settings.control_plane_url) as engine:
        return [each.action for each in await AuditService(engine).of_all(None, since_ns=0, below=None, limit=100)]


def of_searches(settings: Settings) -> Settings:
    """Returns settings with which clients connect as the user of searches."""
    password = SecretStr(settings.clickhouse_query_secret or "")
    return settings.model_copy(
        update={"clickhouse_user": settings.clickhouse_query_user, "clickhouse_password": password}
    )


def test_a_lane_is_full_with_few_parts_when_planning_takes_most_of_its_searches(
    store: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_planning, "MIN_CPU_SECONDS", 0.0)
    monkeypatch.setattr(owner, "LaneBounds", partial(LaneBounds, slow=29))
    tenants = asyncio.run(_add_tenants(store))
    sensitive = store.model_copy(update={"lane_planning_percent": 0.001})
    with connect(store) as client, connect(of_searches(store)) as reader:
        client.command("SYSTEM STOP MERGES")
        for tenant_id in tenants[:3]:
            insert(client, 0, tenant_id, 10)
        assert asyncio.run(_relieve(sensitive)) == LanePlan()

        for _ in range(4):
            reader.query("SELECT count() FROM logs_0 WHERE body = 'word'", settings={"log_comment": str(tenants[0])})
        eventually(lambda: logged(client).statements == 4, "four searches are in query_log")
        assert logged(client).planning_seconds > 0
        assert 0 < logged(client).planning_share <= 1

        assert asyncio.run(_relieve(store.model_copy(update={"lane_planning_percent": 100.0}))) == LanePlan()
        assert [*asyncio.run(_relieve(sensitive)).moves.values()] == [1, 1]


def logged(client: Client) -> search_planning.LaneSearches:
    """Returns the statements on lane 0 that are in query_log. They are logged shortly after their answers."""
    client.command("SYSTEM FLUSH LOGS query_log")
    found = search_planning.read_lane_searches(client) or {}
    return found.get(0, search_planning.LaneSearches(0, 0.0, 0.0))


def test_a_full_lane_gives_half_of_its_cohorts_to_a_new_one(store: Settings) -> None:
    tenants = asyncio.run(_add_tenants(store))
    with connect(store) as client:
        client.command("SYSTEM STOP MERGES")
        for tenant_id in tenants[:4]:
            insert(client, 0, tenant_id, 10)
        assert asyncio.run(_relieve(store)) == LanePlan()
        insert(client, 0, tenants[4], 5)

        # The loop of a loader. Another loader can continue immediately, although it has another name.
        Lanes(store, SystemClock()).run_once()
        assert asyncio.run(_may_continue(store))

        lanes = asyncio.run(_lanes(store))
        moved = [tenant_id for tenant_id in tenants if lanes[tenant_id] == 1]
        assert moved == tenants[2:5]
        assert asyncio.run(_audited(store))[:4] == ["tenant.move"] * 3 + ["lane.create"]
        assert asyncio.run(_relieve(store)) == LanePlan()
        assert find_drift(store) == []

        insert(client, 1, moved[0], 2)
        with connect(of_searches(store)) as reader:
            for tenant_id, seen in ((moved[0], 2), (tenants[0], 0)):
                rows = reader.query("SELECT count() FROM logs_1", settings={"log_comment": str(tenant_id)})
                assert rows.result_rows == [(seen,)]

    # A later migration knows the lane, also on a server that lost its tables.
    with connect(store) as client:
        client.command("DROP TABLE logs_1 SYNC")
    migrate_clickhouse(store, asyncio.run(migrate_control(store)))
    with connect(store) as client:
        assert client.command("EXISTS TABLE logs_1")
