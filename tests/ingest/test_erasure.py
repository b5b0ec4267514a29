"""Tests that the loader erases all data of a deleted tenant, and reports what it found and that nothing is left."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.orm import DeclarativeBase

from backend.audit.service import AuditService
from backend.policies.redactions import RedactionService
from backend.policies.service import PolicyService
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from ingest.dead.letter_tenant import tenant_of
from ingest.dead.read import StoredLetter, read_dead_topic
from ingest.erasure.owner import Owner
from ingest.erasure.tables import read_shard_state
from kit.clickhouse import connect
from kit.clock import SystemClock
from schema.attribute_rules import Action
from schema.control.alert_models import AlertEvent, AlertGroup, AlertNotice, AlertRule
from schema.control.database import opened
from schema.control.day_usage import add_day_usage
from schema.control.erase_rows import KEPT, OWNED
from schema.control.metadata import METADATA
from schema.control.models import BodyRedaction, Dashboard, Purpose, SavedView
from schema.control.tenant_shards import record_shard
from schema.envelope import Envelope
from tests.ingest.pipeline import TENANTS, Pipeline, new_pipeline
from tests.running_stack import Stack

LEAVING, STAYING = 1, 2
"""Ids of the first two tenants of a new control plane. The first one is deleted."""


@pytest.fixture
def pipeline(stack: Stack, tmp_path: Path) -> Iterator[Pipeline]:
    with new_pipeline(stack, tmp_path, ERASURE_AFTER_SECONDS="0", ERASURE_INTERVAL_SECONDS="0.3") as made:
        prepare_tables(made)
        asyncio.run(add_tenants(made))
        yield made


def prepare_tables(pipeline: Pipeline) -> None:
    """Prevents merges, and makes ClickHouse remove files of replaced parts at once, not after half a minute."""
    with connect(pipeline.settings) as client:
        for (table,) in client.query(
            "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"
        ).result_rows:
            client.command(
                f"ALTER TABLE `{table}` MODIFY SETTING cleanup_delay_period = 1,"
                " cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 1,"
                " max_bytes_to_merge_at_max_space_in_pool = 1"
            )


async def add_tenants(pipeline: Pipeline) -> None:
    """Creates two tenants with one row in each table of the control plane that belongs to tenants."""
    async with opened(pipeline.settings.control_plane_url) as engine:
        tenants, clock = TenantService(engine, SystemClock()), SystemClock()
        for number, name in ((LEAVING, "leaving"), (STAYING, "staying")):
            created = await tenants.create_tenant(name, 30, 4096, limits={"bytes_per_day": 10**9})
            assert created.id == number
            await KeyService(engine, clock).create_key(name, Purpose.ingest, "a label")
            await PolicyService(engine, clock).add(name, "secret", False, Action.drop)
            await RedactionService(engine, clock).add(name, "mine", "secret-[0-9]+")
        async with engine.begin() as connection:
            await add_day_usage(connection, 20_000, {LEAVING: 5, STAYING: 5})
            await record_shard(connection, 0, [LEAVING, STAYING])
            await connection.execute(insert(SavedView), [saved_view(LEAVING), saved_view(STAYING)])
            for table in (Dashboard, AlertRule, AlertGroup, AlertEvent, AlertNotice):
                rows = [any_row(table, tenant_id) for tenant_id in (LEAVING, STAYING)]
                await connection.execute(insert(table), rows)


def saved_view(tenant_id: int) -> dict[str, object]:
    """Returns a row of the tenant's views."""
    texts = dict.fromkeys(("folder", "query", "created_by", "changed_by"), "")
    times = dict.fromkeys(("created_at_ns", "changed_at_ns"), 0)
    values = {"range_start": "now-1h", "range_end": "now", "sort_order": "desc", "columns": "[]"}
    return {"id": f"view {tenant_id}", "tenant_id": tenant_id, "name": "mine", "is_default": False, "revision": 1} | (
        texts | times | values
    )


def any_row(table: type[DeclarativeBase], tenant_id: int) -> dict[str, object]:
    """Returns a row of a table of dashboards or alerts, with a number or a short text in each column."""
    row: dict[str, object] = {}
    for column in table.__table__.columns:
        kind = column.type.python_type
        if not column.nullable:
            row[column.key] = False if kind is bool else tenant_id if kind in (int, float) else f"a{tenant_id}"
    return row


async def rows_of(pipeline: Pipeline, tenant_id: int) -> dict[str, int]:
    async with opened(pipeline.settings.control_plane_url) as engine, engine.connect() as connection:
        return {
            table.__tablename__: await connection.scalar(
                select(func.count()).select_from(table).where(table.__table__.c["tenant_id"] == tenant_id)
            )
            or 0
            for table in OWNED
        }


def logsieve(pipeline: Pipeline, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "stack", *arguments],
        env=pipeline.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def send_a_dead_letter(pipeline: Pipeline, tenant_id: int) -> None:
    pipeline.send_raw(
        b"\xff\xff", Envelope(tenant_id, 0, "r30", 4096, 1_700_000_000_000_000_000).headers(), partition=0
    )


def test_nothing_of_a_deleted_tenant_is_left_and_the_proof_says_so(pipeline: Pipeline) -> None:
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

    deleting = logsieve(pipeline, "tenant", "delete", "leaving", "--yes", "--wait")
    pipeline.start_loader()
    shown, progress = deleting.communicate(timeout=300)

    assert deleting.returncode == 0, progress + pipeline.last_lines()
    assert "nothing is left" in shown
    with connect(pipeline.settings) as client:
        state = read_shard_state(client, [LEAVING, STAYING])
        assert state.left(LEAVING).keys() >= {"logs_1", "fields_1", "usage"}
        assert set(state.left(LEAVING).values()) == {0}
    assert pipeline.stored()[STAYING] == stays + 5
    assert dead_letters(pipeline) == {STAYING: times}
    assert set(asyncio.run(rows_of(pipeline, LEAVING)).values()) == {0}
    assert set(asyncio.run(rows_of(pipeline, STAYING)).values()) == {1}
    [proof] = json.loads(logsieve(pipeline, "tenant", "erasures", "leaving", "--json").communicate(timeout=60)[0])
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


def dead_letters(pipeline: Pipeline) -> dict[int | None, list[int]]:
    """Returns the times of all dead letters, in milliseconds, by tenant."""
    found: dict[int | None, list[int]] = {}
    for each in read_dead_topic(pipeline.settings):
        assert isinstance(each, StoredLetter)
        found.setdefault(tenant_of(each.letter), []).append(each.at_ms)
    return found


async def actions(pipeline: Pipeline) -> list[str]:
    async with opened(pipeline.settings.control_plane_url) as engine:
        entries = await AuditService(engine).of_all("leaving", since_ns=0, below=None, limit=100)
    return [each.action for each in entries]


def test_every_table_with_a_tenant_is_erased_or_kept_for_a_reason() -> None:
    owned = {name for name, table in METADATA.tables.items() if "tenant_id" in table.c} | {"tenant"}

    assert owned == {each.__tablename__ for each in OWNED} | KEPT.keys()
    assert BodyRedaction in OWNED
