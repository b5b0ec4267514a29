"""Fills a real hot disk beside an empty cold one: the oldest days move before their time, and no tenant loses a day."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.storage.measure import read_volume
from ingest.storage.periodic import Storage
from ingest.tiering.periodic import Tiering
from kit.clickhouse import connect
from kit.clock import SystemClock
from kit.settings import Settings
from tests.eventually import eventually
from tests.ingest.clickhouse_alone import LARGE, WITHOUT_INDEXES, clickhouse_alone, new_store
from tests.ingest.small_volume import VOLUME_MIB, fill, mounted, used_share, volume_of

DAY_NS = 86_400 * 10**9
NOW_NS = time.time_ns()
DAYS = 5
ROWS = 2_000
"""Records of each day, of 4 KB that do not compress: 8 MB, 2 % of the volume."""

WAIT_SECONDS = 90.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Settings]:
    """Yields a log store whose hot disk is small, with logs of several days."""
    home = tmp_path / "home"
    with mounted(home), clickhouse_alone(home, LOGSIEVE_COLD_FOLDER=str(tmp_path / "cold")) as server:
        settings = new_store(server, home, "full_hot_disk", storage_guaranteed_bytes=100_000)
        with connect(settings) as client:
            for age in range(DAYS):
                client.command(
                    "INSERT INTO logs_0 (tenant_id, cohort, timestamp, id, body)"
                    f" SELECT {LARGE}, 'r30', fromUnixTimestamp64Nano({NOW_NS - age * DAY_NS}, 'UTC'), number,"
                    f" randomString(4000) FROM numbers({ROWS}) SETTINGS {WITHOUT_INDEXES}"
                )
        yield settings


def rows_by_age(settings: Settings, disk: str) -> dict[int, int]:
    """Returns the rows of parts on this disk, by age in days."""
    with connect(settings) as client:
        rows = client.query(
            f"SELECT {NOW_NS // DAY_NS} - toUInt16(toDate(timestamp)) AS age, count() FROM logs_0 WHERE _part IN"
            f" (SELECT name FROM system.parts WHERE active AND table = 'logs_0' AND disk_name = '{disk}') GROUP BY age"
        ).result_rows
    return {int(age): int(count) for age, count in rows}


def test_the_oldest_days_move_until_the_hot_disk_is_under_its_target(store: Settings) -> None:
    storage, tiering = Storage(store, SystemClock()), Tiering(store, SystemClock())

    def has_room() -> bool:
        storage.run_once()
        tiering.run_once()
        return used_share(store.home) < 0.9

    # Three percent of the volume are one and a half days.
    fill(volume_of(store.home) / "filler", 0.93)
    eventually(has_room, "the hot disk is under its target", WAIT_SECONDS)

    hot, cold = rows_by_age(store, "default"), rows_by_age(store, "cold")
    assert hot | cold == dict.fromkeys(range(DAYS), ROWS)
    assert not hot.keys() & cold.keys()
    assert min(cold) > max(hot)
    assert 0 in hot

    # The other disk is fuller, but no insert writes to it.
    (volume_of(store.home) / "filler").unlink()
    with connect(store) as client:
        assert read_volume(client).total == VOLUME_MIB * 2**20
        client.command("CREATE DATABASE plain")
        client.command("CREATE TABLE plain.logs_0 (number UInt8) ENGINE = MergeTree ORDER BY number")
    with connect(store.model_copy(update={"clickhouse_database": "plain"})) as client:
        assert read_volume(client).total == VOLUME_MIB * 2**20
