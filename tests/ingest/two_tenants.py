"""A pipeline with two tenants, of which tests erase one."""

from sqlalchemy import insert
from sqlalchemy.orm import DeclarativeBase

from backend.policies.redactions import RedactionService
from backend.policies.service import PolicyService
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from ingest.dead.letter_tenant import tenant_of
from ingest.dead.read import StoredLetter, read_dead_topic
from kit.clickhouse import connect
from kit.clock import SystemClock
from schema.attribute_rules import Action
from schema.control.alert_models import AlertEvent, AlertGroup, AlertNotice, AlertRule
from schema.control.database import opened
from schema.control.day_usage import add_day_usage
from schema.control.models import Dashboard, Purpose, SavedView
from schema.control.tenant_shards import record_shard
from schema.envelope import Envelope
from tests.ingest.pipeline import Pipeline

LEAVING, STAYING = 1, 2
"""Ids of the first two tenants of a new control plane. Tests delete the first one."""


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
            # The next cleanup of the table is already scheduled, with the old delay.
            client.command(f"DETACH TABLE `{table}` SYNC")
            client.command(f"ATTACH TABLE `{table}`")


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


def send_a_dead_letter(pipeline: Pipeline, tenant_id: int) -> None:
    pipeline.send_raw(
        b"\xff\xff", Envelope(tenant_id, 0, "r30", 4096, 1_700_000_000_000_000_000).headers(), partition=0
    )


def dead_letters(pipeline: Pipeline) -> dict[int | None, list[int]]:
    """Returns the times of all dead letters, in milliseconds, by tenant."""
    found: dict[int | None, list[int]] = {}
    for each in read_dead_topic(pipeline.settings):
        assert isinstance(each, StoredLetter)
        found.setdefault(tenant_of(each.letter), []).append(each.at_ms)
    return found
