"""Tests when a loader may record the shard of a tenant."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import insert, text

from ingest.loader.tenant_shards import RecordedShards
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.database import opened
from schema.control.models import TenantRow
from schema.control.tenant_shards import EVERY_SHARD, read_shards
from schema.migrate import migrate_control

TENANT = 7


async def with_tenant(settings: Settings) -> None:
    await migrate_control(settings)
    async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
        row = {"id": TENANT, "name": "acme", "lane": 0, "body_max_bytes": 4096, "created_at_ns": 1}
        await connection.execute(insert(TenantRow).values(**row))


async def recorded(settings: Settings) -> frozenset[int]:
    async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
        return (await read_shards(connection, None)).get(TENANT, frozenset())


async def remove_shard_1(settings: Settings) -> None:
    """Follows docs/decisions/0013-an-intent-names-its-shard.md."""
    async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
        await connection.execute(text("DELETE FROM tenant_shard WHERE shard = 1"))
        await connection.execute(text("DELETE FROM shard WHERE number = 1"))


def test_a_loader_of_a_new_shard_records_nothing_before_the_migration(tmp_path: Path, control_url: str) -> None:
    one = Settings(home=tmp_path, control_url=control_url)
    two = one.model_copy(update={"clickhouse_nodes": 2})
    asyncio.run(with_tenant(one))
    loader = RecordedShards(two)
    for shard in range(2):
        with pytest.raises(Unavailable, match=rf"shard {shard} is new, .* run it with the LOGSIEVE_CLICKHOUSE_URL"):
            loader.record(shard, [TENANT])
    assert asyncio.run(recorded(two)) == frozenset()
    asyncio.run(migrate_control(two))
    loader.record(1, [TENANT])
    assert asyncio.run(recorded(two)) == {EVERY_SHARD, 1}


def test_a_loader_of_a_shard_that_was_removed_records_only_the_shard_that_stayed(
    tmp_path: Path, control_url: str
) -> None:
    two = Settings(home=tmp_path, control_url=control_url, clickhouse_nodes=2)
    asyncio.run(with_tenant(two))
    asyncio.run(remove_shard_1(two))
    loader = RecordedShards(two)
    with pytest.raises(Unavailable, match="shard 1 is new"):
        loader.record(1, [TENANT])
    # Rows that a loader of one shard has stored meanwhile are on shard 0.
    loader.record(0, [TENANT])
    asyncio.run(migrate_control(two))
    assert asyncio.run(recorded(two)) == {0}
