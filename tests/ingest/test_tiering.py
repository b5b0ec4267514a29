"""Tests that old partitions move to the cold volume, and that nobody notices."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client

from ingest.minute_counts.server import CountedServer
from ingest.minute_counts.worth import MIN_PARTS
from ingest.retention.every_shard import drop_everywhere
from ingest.retention.partitions import TablePartition
from ingest.tiering.every_shard import move_everywhere
from ingest.tiering.periodic import Tiering
from kit.clickhouse import connect
from kit.clock import DAY_NS, Clock, ManualClock, SystemClock
from kit.errors import LogsieveError
from kit.settings import Settings
from schema.clickhouse.minute_counts import BUILDING, counted_tables
from schema.control.storage import EPOCH
from schema.drift import clickhouse_drift
from tests.ingest.clickhouse_alone import LARGE, new_store
from tests.stack.small_stack import SmallStack, small_stack

ROWS = 50
AGES = (0, 1, 3, 5, 40)
"""Ages in days of the partitions of a store. Retention drops the last one."""


@dataclass(frozen=True, slots=True)
class Place:
    """A running ClickHouse with a cold volume in a folder."""

    stack: SmallStack
    cold: Path

    @property
    def settings(self) -> Settings:
        return Settings(home=self.stack.home, port_offset=self.stack.offset, lanes=1)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("tiering")
    stack = small_stack(folder / "home")
    try:
        stack.up(LOGSIEVE_COLD_FOLDER=str(folder / "cold"))
        yield Place(stack, folder / "cold")
    finally:
        done = stack.logsieve("down")
        assert done.returncode == 0, done.stderr


@pytest.fixture
def clock() -> ManualClock:
    """Returns a clock that stands still, so that ages in days are the same until the end of a test, even at
    midnight."""
    return ManualClock(SystemClock().now_ns())


@pytest.fixture
def store(place: Place, tmp_path: Path, clock: ManualClock) -> Settings:
    """Returns the settings of a new database with a partition for each of AGES."""
    settings = new_store(place.settings, tmp_path, f"tiering_{secrets.token_hex(4)}", cold_after_days=2)
    with connect(settings) as client:
        for age in AGES:
            insert(client, clock, age)
    return settings


def day_of(clock: Clock, age: int) -> date:
    return EPOCH + timedelta(days=clock.now_ns() // DAY_NS - age)


def insert(client: Client, clock: Clock, age: int, rows: int = ROWS) -> None:
    client.command(
        "INSERT INTO logs_0 (tenant_id, cohort, timestamp, id, body)"
        f" SELECT {LARGE}, 'r30', toDateTime64('{day_of(clock, age)} 00:00:00', 9, 'UTC'), number,"
        f" 'word ' || toString(number) FROM numbers({rows}) SETTINGS insert_deduplicate = 0"
    )


def on_disks(client: Client, clock: Clock) -> dict[int, str]:
    """Returns the disks of the partitions by their age in days."""
    rows = client.query(
        f"SELECT {clock.now_ns() // DAY_NS} - toUInt16(toDate(extract(partition, '[0-9-]{{10}}'))) AS age,"
        " arrayStringConcat(arraySort(groupUniqArray(disk_name)), ' ') FROM system.parts"
        " WHERE database = currentDatabase() AND table = 'logs_0' AND active GROUP BY age"
    ).result_rows
    return {int(age): str(disks) for age, disks in rows}


def found(client: Client) -> int:
    """Returns the number of rows that a search for a word finds, over hot and cold partitions."""
    return int(client.query("SELECT count() FROM logs_0 WHERE hasToken(lower(body), 'word')").result_rows[0][0])


def ages_of(partitions: tuple[TablePartition, ...], clock: Clock) -> list[int]:
    return [(day_of(clock, 0) - each.day).days for each in partitions]


def test_old_partitions_move_and_their_rows_stay_where_searches_find_them(store: Settings, clock: ManualClock) -> None:
    assert ages_of(move_everywhere([store], clock, dry_run=True), clock) == [40, 5, 3]
    with connect(store) as client:
        assert set(on_disks(client, clock).values()) == {"default"}
        Tiering(store, clock).run_once()
        assert on_disks(client, clock) == {0: "default", 1: "default", 3: "cold", 5: "cold", 40: "cold"}
        assert found(client) == ROWS * len(AGES)
        assert move_everywhere([store], clock, dry_run=False) == ()


def test_records_that_arrive_late_for_a_moved_day_are_moved_too(store: Settings, clock: ManualClock) -> None:
    move_everywhere([store], clock, dry_run=False)
    with connect(store) as client:
        insert(client, clock, 5, rows=7)
        assert on_disks(client, clock)[5] == "cold default"
        assert ages_of(move_everywhere([store], clock, dry_run=False), clock) == [5]
        client.command("OPTIMIZE TABLE logs_0 FINAL")
        assert on_disks(client, clock) == {0: "default", 1: "default", 3: "cold", 5: "cold", 40: "cold"}
        assert found(client) == ROWS * len(AGES) + 7


def test_retention_drops_partitions_on_the_cold_volume(store: Settings, clock: ManualClock) -> None:
    move_everywhere([store], clock, dry_run=False)
    assert ages_of(drop_everywhere([store], clock, dry_run=False).dropped, clock) == [40]
    with connect(store) as client:
        assert sorted(on_disks(client, clock)) == [0, 1, 3, 5]


def test_the_tables_of_a_store_with_a_cold_volume_have_no_drift(store: Settings) -> None:
    assert clickhouse_drift(store) == []
    without = store.model_copy(update={"clickhouse_url": store.clickhouse_http_url})
    assert "storage_policy" in clickhouse_drift(without)[0].difference


def test_a_run_that_the_server_refuses_is_repeated(store: Settings, clock: ManualClock) -> None:
    with connect(store) as client:
        client.command("SYSTEM STOP MOVES logs_0")
        with pytest.raises(LogsieveError):
            Tiering(store, clock).run_once()
        assert set(on_disks(client, clock).values()) == {"default"}
        client.command("SYSTEM START MOVES logs_0")
        Tiering(store, clock).run_once()
        assert on_disks(client, clock)[5] == "cold"


def test_minute_counts_are_not_built_while_a_table_has_parts_on_the_cold_volume(
    store: Settings, clock: ManualClock
) -> None:
    started = (
        "SELECT count() FROM system.mutations WHERE database = currentDatabase()"
        f" AND position(command, '{BUILDING}') > 0"
    )
    with connect(store) as client:
        for _ in range(MIN_PARTS):
            insert(client, clock, 0)
        move_everywhere([store], clock, dry_run=False)
        CountedServer(ROWS).run_once(client)
        assert counted_tables(client) == {"logs_0"}, "later merges count minutes"
        assert client.command(started) == 0
        for age in AGES[2:]:
            client.command(f"ALTER TABLE logs_0 DROP PARTITION ('r30', '{day_of(clock, age)}')")
        CountedServer(ROWS).run_once(client)
        assert client.command(started) == 1


def test_nodes_keep_their_cold_folder_and_refuse_another_one_and_an_absent_one(
    store: Settings, place: Place, clock: ManualClock
) -> None:
    move_everywhere([store], clock, dry_run=False)
    down = place.stack.logsieve("down")
    assert down.returncode == 0, down.stderr
    refused = place.stack.logsieve("up", "clickhouse", LOGSIEVE_COLD_FOLDER=str(place.cold / "other"))
    assert refused.returncode != 0
    assert f"ClickHouse's cold partitions are in {place.cold}" in refused.stderr
    away = place.cold.rename(place.cold.with_name("away"))
    refused = place.stack.logsieve("up", "clickhouse")
    assert refused.returncode != 0
    assert "the folder of ClickHouse's cold partitions is missing: mount its disk" in refused.stderr
    away.rename(place.cold)
    place.stack.up()
    with connect(store) as client:
        assert on_disks(client, clock)[40] == "cold"
        assert found(client) == ROWS * len(AGES)
