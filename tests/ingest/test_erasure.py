"""Tests that the loader erases all data of a deleted tenant, and reports what it found and that nothing is left."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from backend.audit.service import AuditService
from ingest.erasure.owner import Owner
from ingest.erasure.tables import read_shard_state
from kit.clickhouse import connect
from kit.clock import SystemClock
from schema.control.database import opened
from schema.control.erase_rows import KEPT, OWNED
from schema.control.metadata import METADATA
from schema.control.models import BodyRedaction
from tests.forked_module import ForkedModule, run_module
from tests.ingest.pipeline import TENANTS, Pipeline, new_pipeline
from tests.ingest.two_tenants import LEAVING, STAYING, add_tenants, dead_letters, prepare_tables, send_a_dead_letter
from tests.running_stack import Stack


@pytest.fixture
def pipeline(stack: Stack, tmp_path: Path) -> Iterator[Pipeline]:
    with new_pipeline(stack, tmp_path, ERASURE_AFTER_SECONDS="0", ERASURE_INTERVAL_SECONDS="0.3") as made:
        prepare_tables(made)
        asyncio.run(add_tenants(made))
        yield made


async def rows_of(pipeline: Pipeline, tenant_id: int) -> dict[str, int]:
    async with opened(pipeline.settings.control_plane_url) as engine, engine.connect() as connection:
        return {
            table.__tablename__: await connection.scalar(
                select(func.count()).select_from(table).where(table.__table__.c["tenant_id"] == tenant_id)
            )
            or 0
            for table in OWNED
        }


def test_nothing_of_a_deleted_tenant_is_left_and_the_proof_says_so(pipeline: Pipeline, tmp_path: Path) -> None:
    first = pipeline.start_loader()
    for _ in range(2):
        pipeline.send(messages=2 * TENANTS)
        pipeline.wait_until_stored()
    for tenant_id in (LEAVING, STAYING, LEAVING):
        send_a_dead_letter(pipeline, tenant_id)
    pipeline.wait(lambda: sum(map(len, dead_letters(pipeline).values())) == 3, "the dead letters are written")
    with connect(pipeline.settings) as client:
        # Earlier releases deleted rows like this: hidden, but still in the files.
        client.command(f"DELETE FROM logs_1 WHERE tenant_id = {LEAVING} AND id % 2 = 0")
    first.terminate()
    first.wait(60)
    stays, times = pipeline.stored()[STAYING], dead_letters(pipeline)[STAYING]
    pipeline.send(messages=TENANTS)  # These are in the topic when the tenant is deleted, and are loaded afterwards.

    shown, progress = tmp_path / "shown", tmp_path / "progress"
    command = ("stack", "tenant", "delete", "leaving", "--yes", "--wait")
    deleting = ForkedModule(command, pipeline.environment, shown, progress)
    pipeline.start_loader()
    assert deleting.wait(300) == 0, progress.read_text() + pipeline.last_lines()
    assert "nothing is left" in shown.read_text()
    with connect(pipeline.settings) as client:
        state = read_shard_state(client, [LEAVING, STAYING])
        assert state.left(LEAVING).keys() >= {"logs_1", "fields_1", "usage"}
        assert set(state.left(LEAVING).values()) == {0}
    assert pipeline.stored()[STAYING] == stays + 5
    assert dead_letters(pipeline) == {STAYING: times}
    assert set(asyncio.run(rows_of(pipeline, LEAVING)).values()) == {0}
    assert set(asyncio.run(rows_of(pipeline, STAYING)).values()) == {1}
    listed = run_module(("stack", "tenant", "erasures", "leaving", "--json"), pipeline.environment, 60)
    [proof] = json.loads(listed.stdout)
    found, left = proof["progress"]["found"], proof["progress"]["left"]
    assert set(left.values()) == {0}
    assert "shard 0 replaced parts" in left
    assert {"shard 0 logs_1": 25, "dead letters": 2, "control plane api_key": 1}.items() <= found.items()
    assert found.keys() <= left.keys()
    assert "tenant.erase" in asyncio.run(actions(pipeline))

    # A run succeeds without ClickHouse and Kafka, because finished erasures are not checked again.
    unreachable = pipeline.settings.model_copy(
        update={"clickhouse_url": "http://127.0.0.1:1", "kafka_bootstrap": "127.0.0.1:1"}
    )

    async def run_once() -> bool:
        async with opened(unreachable.control_plane_url) as engine:
            return await Owner(unreachable, SystemClock(), "another").run_once(engine)

    assert asyncio.run(run_once())


async def actions(pipeline: Pipeline) -> list[str]:
    async with opened(pipeline.settings.control_plane_url) as engine:
        entries = await AuditService(engine).of_all("leaving", since_ns=0, below=None, limit=100)
    return [each.action for each in entries]


def test_every_table_with_a_tenant_is_erased_or_kept_for_a_reason() -> None:
    owned = {name for name, table in METADATA.tables.items() if "tenant_id" in table.c} | {"tenant"}

    assert owned == {each.__tablename__ for each in OWNED} | KEPT.keys()
    assert BodyRedaction in OWNED
