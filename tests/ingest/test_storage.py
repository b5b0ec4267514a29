"""Tests that tenants above their fair share of a full disk lose their oldest days, and nobody loses anything else."""

import asyncio
import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.service import AuditService
from backend.store.scope import Scopes
from ingest.storage.measure import TenantBytesReader, Volume
from ingest.storage.owner import StorageOwner
from ingest.storage.remove import Removal, remove_days
from kit.clickhouse import connect
from kit.clock import DAY_NS, ManualClock, SystemClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.snapshot import read_snapshot
from schema.control.storage import EPOCH, read_kept_from
from tests.eventually import eventually
from tests.ingest.clickhouse_alone import LARGE, SMALL, drop_store, first_server, new_store
from tests.running_stack import Stack

ROWS = {LARGE: 4_000, SMALL: 400}
"""Rows that each tenant has on each day."""

DAYS = 6
WAIT_SECONDS = 90.0


@pytest.fixture
def store(stack: Stack, tmp_path: Path) -> Iterator[Settings]:
    """Yields a store on the session's stack."""
    name = f"storage_{secrets.token_hex(4)}"
    made = new_store(first_server(stack), tmp_path, name, storage_guaranteed_bytes=0)
    yield made
    drop_store(made)


@pytest.fixture
def client(store: Settings) -> Iterator[Client]:
    with connect(store) as connected:
        # Each insert stays a part of its own.
        connected.command("SYSTEM STOP MERGES logs_0")
        yield connected


def this_day() -> int:
    """Returns the current UTC day, in days since the Unix epoch. A test calls it once, because midnight may come
    while it runs."""
    return time.time_ns() // DAY_NS


def insert(client: Client, today: int, age: int, tenants: dict[int, int]) -> None:
    """Inserts rows of one day, `age` days before the day `today`, as one part, and counts of a field beside them."""
    day = EPOCH + timedelta(days=today - age)
    for tenant_id, rows in tenants.items():
        client.command(
            f"INSERT INTO fields_0 (tenant_id, cohort, source, kind, field, bucket, value, records)"
            f" VALUES ({tenant_id}, 'r30', 'record', 'field', 'service', '{day} 00:00:00', '', {rows})"
        )
    selects = (
        f"SELECT {tenant_id} AS tenant_id, 'r30' AS cohort, toDateTime64('{day} 00:00:00', 9, 'UTC') AS timestamp,"
        f" number AS id, hex(SHA256(toString({tenant_id} + number * 7 + {age} * 1000000))) AS body FROM numbers({rows})"
        for tenant_id, rows in tenants.items()
    )
    client.command(
        f"INSERT INTO logs_0 (tenant_id, cohort, timestamp, id, body) SELECT * FROM ({' UNION ALL '.join(selects)})"
        " SETTINGS insert_deduplicate = 0, max_insert_threads = 1, max_threads = 1"
    )


def stored(client: Client, today: int, table: str = "logs_0", column: str = "timestamp") -> dict[int, dict[int, int]]:
    """Returns the rows, or counted records, by tenant and age in days at the day `today`."""
    count = "count()" if table == "logs_0" else "sum(records)"
    rows = client.query(
        f"SELECT tenant_id, {today} - toInt32(toUInt16(toDate({column}))) AS age, {count} FROM {table}"
        " GROUP BY tenant_id, age"
    ).result_rows
    found: dict[int, dict[int, int]] = {LARGE: {}, SMALL: {}}
    for tenant_id, age, count_ in rows:
        found[tenant_id][age] = count_
    return found


def every_day(newest: int = 0, days: int = DAYS, rows: int = 1) -> dict[int, int]:
    return dict.fromkeys(range(newest, days), rows)


def remove_until_gone(store: Settings, kept_from: dict[int, int]) -> list[Removal]:
    """Removes days until nothing more is to be removed. Returns what the first call started to remove."""
    with connect(store) as client:
        first = remove_days(client, kept_from)
        eventually(lambda: remove_days(client, kept_from) == [], "the rows are removed", WAIT_SECONDS)
    return first


def test_only_days_that_a_tenant_may_not_keep_are_removed(store: Settings, client: Client) -> None:
    today = this_day()
    for age in range(DAYS):
        if age % 2:
            insert(client, today, age, ROWS)
        else:
            insert(client, today, age, {LARGE: ROWS[LARGE]})
            insert(client, today, age, {SMALL: ROWS[SMALL]})
    client.command("SYSTEM START MERGES logs_0")

    removals = remove_until_gone(store, {LARGE: today - 1, SMALL: today - 4})

    logs = [each for each in removals if each.table == "logs_0"]
    assert sum(each.rows for each in logs) == 4 * ROWS[LARGE] + ROWS[SMALL]
    expected = {LARGE: every_day(days=2, rows=ROWS[LARGE]), SMALL: every_day(days=5, rows=ROWS[SMALL])}
    assert stored(client, today) == expected
    assert stored(client, today, "fields_0", "bucket") == expected


def test_processes_that_remove_at_once_remove_what_one_does(store: Settings, client: Client) -> None:
    today = this_day()
    for age in range(3):
        insert(client, today, age, ROWS)
        insert(client, today, age, {LARGE: ROWS[LARGE]})
    client.command("SYSTEM START MERGES logs_0")

    def remove(_: int) -> None:
        remove_until_gone(store, {LARGE: today})

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(remove, range(3)))

    assert stored(client, today) == {LARGE: {0: 2 * ROWS[LARGE]}, SMALL: every_day(days=3, rows=ROWS[SMALL])}


@dataclass(frozen=True, slots=True)
class Filled:
    """A server with all days of both tenants on a volume of `total` bytes. `large` and `small` are their bytes."""

    clock: ManualClock
    large: int
    small: int

    @property
    def today(self) -> int:
        return self.clock.now_ns() // DAY_NS

    @property
    def total(self) -> int:
        # Logs may take 90 of 100 bytes. Three of the six days of the large tenant do not fit.
        return round((self.small + self.large / 6 * 3.5) / 0.9)


def fill(client: Client) -> Filled:
    # The clock stands still at a time after the start of the tenants, so that the day is the same until the end.
    clock = ManualClock(SystemClock().now_ns())
    for age in range(DAYS):
        insert(client, clock.now_ns() // DAY_NS, age, ROWS)
    client.command("SYSTEM START MERGES logs_0")
    bytes_of = TenantBytesReader(clock).read(client)
    return Filled(clock, sum(bytes_of[LARGE].values()), sum(bytes_of[SMALL].values()))


def test_a_removal_that_ends_while_a_server_is_measured_costs_no_further_days(store: Settings, client: Client) -> None:
    filled = fill(client)
    clock, today, total = filled.clock, filled.today, filled.total
    removed_meanwhile = dict[int, int]()

    def measure(_: Client) -> Volume:
        if removed_meanwhile:
            remove_until_gone(store, removed_meanwhile)
        return Volume(total, total - filled.large - filled.small)

    async def body() -> None:
        owner = StorageOwner(store, clock, measure)
        async with opened(store.control_plane_url) as engine:
            removed_meanwhile.update(await examine(engine, owner))
            assert removed_meanwhile == {LARGE: today - 2}
            assert await examine(engine, owner) == removed_meanwhile

    asyncio.run(body())
    assert stored(client, today)[LARGE] == every_day(days=3, rows=ROWS[LARGE])


async def examine(engine: AsyncEngine, owner: StorageOwner) -> dict[int, int]:
    await owner.run_once(engine)
    return await read_kept_from(engine)


def test_a_full_disk_takes_the_oldest_days_of_the_largest_tenant(store: Settings, client: Client) -> None:
    filled = fill(client)
    clock, today, total, large, small = filled.clock, filled.today, filled.total, filled.large, filled.small
    left = {"bytes": large + small}
    owner = StorageOwner(store, clock, lambda _: Volume(total, total - left["bytes"]))

    async def body() -> None:
        async with opened(store.control_plane_url) as engine:
            kept_from = await examine(engine, owner)
            assert kept_from == {LARGE: today - 2}
            async with engine.connect() as connection:
                tenants = (await read_snapshot(connection, clock.now_ns())).tenants
            scopes = Scopes(store, clock)
            assert scopes.retention(tenants[LARGE]).start_ns == (today - 2) * DAY_NS
            assert scopes.retention(tenants[SMALL]).start_ns < (today - 29) * DAY_NS
            # Rows that are about to be removed do not count again.
            assert await examine(engine, owner) == kept_from
            remove_until_gone(store, kept_from)
            left["bytes"] = small + large // 2
            assert await examine(engine, owner) == kept_from
            entries = await AuditService(engine).of_all("large", since_ns=0, below=None, limit=10)
            assert [each.action for each in entries].count("tenant.storage") == 1

    asyncio.run(body())
    assert stored(client, today) == {LARGE: every_day(days=3, rows=ROWS[LARGE]), SMALL: every_day(rows=ROWS[SMALL])}


def test_a_loader_that_starts_again_during_a_removal_removes_no_further_days(store: Settings, client: Client) -> None:
    filled = fill(client)

    def measure(client: Client) -> Volume:
        # The files of removed rows stay on the disk for longer than this test takes.
        [(stored, replaced)] = client.query(
            "SELECT sum(bytes_on_disk), sumIf(bytes_on_disk, NOT active) FROM system.parts"
            " WHERE database = currentDatabase() AND table IN ('logs_0', 'fields_0')"
        ).result_rows
        return Volume(filled.total, filled.total - int(stored), int(replaced))

    async def examine_anew() -> dict[int, int]:
        async with opened(store.control_plane_url) as engine:
            return await examine(engine, StorageOwner(store, filled.clock, measure))

    client.command("SYSTEM STOP MERGES logs_0")
    kept_from = asyncio.run(examine_anew())
    assert kept_from == {LARGE: filled.today - 2}
    assert asyncio.run(examine_anew()) == kept_from, "nothing is removed yet"
    remove_days(client, kept_from)
    assert asyncio.run(examine_anew()) == kept_from, "the deletions wait"
    client.command("SYSTEM START MERGES logs_0")
    remove_until_gone(store, kept_from)
    assert asyncio.run(examine_anew()) == kept_from, "the files are on the disk"
