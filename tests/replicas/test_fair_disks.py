"""Tests that the replica with the least room decides which days a tenant loses, and that all replicas lose the same."""

import asyncio
import secrets
from datetime import timedelta
from pathlib import Path

from clickhouse_connect.driver.client import Client

from ingest.storage.measure import TenantBytesReader, Volume
from ingest.storage.owner import StorageOwner
from ingest.storage.remove import remove_days
from kit.clickhouse import connect, connect_shards
from kit.clock import DAY_NS, Clock, ManualClock, SystemClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.storage import EPOCH, read_kept_from
from schema.migrate import migrate_clickhouse
from tests.eventually import eventually
from tests.ingest.clickhouse_alone import LARGE, SMALL, new_store
from tests.running_stack import Stack

DAYS = 6
ROWS = {LARGE: 2_000, SMALL: 200}
"""Rows of each tenant on each day and shard."""

WAIT_SECONDS = 90.0


def insert(client: Client, today: int, shard: int) -> None:
    """Inserts the rows of one shard, which are the same on each of its replicas. `today` is the newest day, in days
    since the Unix epoch."""
    for age in range(DAYS):
        day = EPOCH + timedelta(days=today - age)
        for tenant, rows in ROWS.items():
            client.command(
                "INSERT INTO logs_0 (tenant_id, cohort, timestamp, id, body)"
                f" SELECT {tenant}, 'r30', toDateTime64('{day} 00:00:00', 9, 'UTC'), number + {shard} * 1000000,"
                f" hex(SHA256(toString({tenant} + number * 7 + {age} * 1000000))) FROM numbers({rows})"
                " SETTINGS insert_deduplicate = 0"
            )


def rows_of(client: Client, today: int) -> dict[int, dict[int, int]]:
    """Returns the rows of one server by tenant and age in days at the day `today`."""
    rows = client.query(
        f"SELECT tenant_id, {today} - toInt32(toUInt16(toDate(timestamp))) AS age, count() FROM logs_0"
        " GROUP BY tenant_id, age"
    ).result_rows
    return {tenant: {int(age): count for owner, age, count in rows if owner == tenant} for tenant in ROWS}


def decide(store: Settings, clock: Clock, small_server: str, total: int) -> dict[int, int]:
    """Returns the first days that tenants keep if the volume of one server has `total` bytes, and others have room."""

    def probe(client: Client) -> Volume:
        stored = sum(sum(days.values()) for days in TenantBytesReader(clock).read(client).values())
        # Volumes of different sizes count as different volumes, although all servers are on one machine.
        size = total if client.uri.startswith(small_server) else 10**12
        return Volume(size, size - stored)

    async def body() -> dict[int, int]:
        async with opened(store.control_plane_url) as engine:
            await StorageOwner(store, clock, probe).run_once(engine)
            return await read_kept_from(engine)

    return asyncio.run(body())


def test_the_replica_with_the_least_room_decides_for_all(replicated: Stack, tmp_path: Path) -> None:
    server = replicated.settings.model_copy(update={"lanes": 1, "max_lanes": 1})
    name = f"fair_{secrets.token_hex(4)}"
    store = new_store(server, tmp_path, name, storage_guaranteed_bytes=0)
    # The clock stands still at a time after the start of the tenants, so that the day is the same until the end.
    clock = ManualClock(SystemClock().now_ns())
    today = clock.now_ns() // DAY_NS
    for replica in store.each_replica:
        migrate_clickhouse(replica)
        with connect_shards(replica) as shards:
            for shard, client in enumerate(shards):
                insert(client, today, shard)

    second = store.of_replica(1)
    with connect(second, shard=0) as client:
        bytes_of = TenantBytesReader(clock).read(client)
    large, small = (sum(bytes_of[tenant].values()) for tenant in (LARGE, SMALL))
    # Logs may take 90 of 100 bytes. Three of the six days of the large tenant do not fit on this server.
    total = round((small + large / DAYS * 3.5) / 0.9)
    kept_from = decide(store, clock, second.clickhouse_http_urls[0], total)

    assert kept_from == {LARGE: today - 2}
    expected = {LARGE: dict.fromkeys(range(3), ROWS[LARGE]), SMALL: dict.fromkeys(range(DAYS), ROWS[SMALL])}
    for replica in store.each_replica:
        with connect_shards(replica) as shards:
            for client in shards:
                eventually(lambda client=client: not remove_days(client, kept_from), "rows are removed", WAIT_SECONDS)  # type: ignore[misc]  # mypy does not infer bound defaults
                assert rows_of(client, today) == expected
