"""Tests the documented restore of the control plane: no new tenant gets the id of stored logs, and searches read all
logs that are stored."""

import asyncio
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tenants.service import TenantService
from kit.clickhouse import connect
from kit.clock import SystemClock
from kit.settings import Settings
from schema.clickhouse.tables import table_name
from schema.control.database import opened
from schema.control.lifecycles import read_lifecycles
from tests.forked_module import run_module
from tests.ingest.clickhouse_alone import SMALL, drop_store, first_server, new_store
from tests.running_stack import Stack, stack_environment


@pytest.fixture
def store(stack: Stack, tmp_path: Path) -> Iterator[Settings]:
    """Yields a store on the session's stack."""
    made = new_store(first_server(stack), tmp_path, f"restored_{secrets.token_hex(4)}")
    yield made
    drop_store(made)


def test_a_restored_control_plane_learns_ids_and_cohorts_from_the_stored_logs(store: Settings, tmp_path: Path) -> None:
    async def create(name: str) -> int:
        async with opened(store.control_plane_url) as engine:
            return (await TenantService(engine, SystemClock()).create_tenant(name, 30, 4096)).id

    control, backup = tmp_path / "control.db", tmp_path / "backup.db"
    shutil.copyfile(control, backup)
    lost = [asyncio.run(create(name)) for name in ("logs", "usage")]
    with connect(store) as client:
        client.command(f"INSERT INTO {table_name(0)} (tenant_id, timestamp) VALUES ({lost[0]}, now64(9))")
        client.command(
            f"INSERT INTO {table_name(0)} (tenant_id, cohort, timestamp) VALUES ({SMALL}, 'r90', now64(9)),"
            f" ({SMALL}, 't{SMALL}', now64(9)), ({SMALL}, 't{SMALL}', now64(9) - INTERVAL 100 DAY)"
        )
        client.command(f"INSERT INTO usage (tenant_id, minute, records) VALUES ({lost[1]}, now(), 1)")
    control.unlink()
    shutil.copyfile(backup, control)

    variables = {
        "LOGSIEVE_CLICKHOUSE_DATABASE": store.clickhouse_database,
        "LOGSIEVE_CONTROL_URL": store.control_plane_url,
    }
    environment = stack_environment(store.home, store.port_offset, variables)
    again = run_module(("stack", "tenant", "erasures", "--again"), environment, 120)
    assert again.returncode == 0, again.stderr
    assert "tenant small: searches now read all logs of cohort r90 in lane 0; with the" in again.stderr
    assert f"now read all logs of cohort t{SMALL} in lane 0; with the restored control plane" in again.stderr
    assert "none of its stored logs is deleted in the next 30 days" in again.stderr
    lifecycles = asyncio.run(read_lifecycles_of(store))
    # The UTC day may have changed since the insert.
    assert lifecycles.pop(f"t{SMALL}") in {130, 131}
    assert lifecycles == {"r30": 30, "r90": 90}
    assert asyncio.run(create("new")) > max(lost) > SMALL


async def read_lifecycles_of(settings: Settings) -> dict[str, int]:
    async with opened(settings.control_plane_url) as engine:
        return (await read_lifecycles(engine)).retention_days
