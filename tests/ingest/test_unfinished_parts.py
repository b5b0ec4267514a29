"""Tests that files which ClickHouse is about to remove or to replace are no reason to remove days."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client

from ingest.erasure.tables import replaced_parts
from ingest.storage.unfinished_parts import read_unfinished
from ingest.tiering.volumes import read_removing
from kit.clickhouse import connect
from kit.settings import Settings
from tests.ingest.clickhouse_alone import LARGE, SMALL, WITH_INDEXES, WITHOUT_INDEXES, clickhouse_alone, new_store

ROWS = 10_000
"""Rows of each of two tenants in one part. Bodies have 1 KB and hardly compress."""

MIB = 2**20
"""Bytes that may be in buffers."""

ADDED_FILES = 20_000
"""Empty files that are added to the folder of a part, so that its removal takes long enough to be measured."""

TRIES = 5
"""Largest number of builds or removals that are tried until a measurement falls within one."""

END_OF_TIME = 2**40
"""Seconds since the Unix epoch, after all others."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    folder = tmp_path_factory.mktemp("unfinished")
    with clickhouse_alone(folder / "home", LOGSIEVE_COLD_FOLDER=str(folder / "cold")) as settings:
        with connect(settings.model_copy(update={"clickhouse_database": "system"})) as client:
            stop_merges_of_system_tables(client)
        yield settings


def stop_merges_of_system_tables(client: Client) -> None:
    """Their unfinished parts count too, and would add bytes at moments that no test can foresee."""
    client.command("SYSTEM FLUSH LOGS")
    tables = "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"
    for (name,) in client.query(tables).result_rows:
        client.command(f"SYSTEM STOP MERGES {name}")


@pytest.fixture
def store(server: Settings, tmp_path: Path) -> Settings:
    settings = new_store(server, tmp_path, f"unfinished_{secrets.token_hex(4)}")
    with connect(settings) as client:
        insert(client)
    return settings


def insert(client: Client, settings: str = WITHOUT_INDEXES) -> None:
    """Inserts one part with the rows of both tenants."""
    client.command(
        "INSERT INTO logs_0 (tenant_id, cohort, timestamp, id, body)"
        f" SELECT if(number < {ROWS}, {LARGE}, {SMALL}), 'r30', toDateTime64('2026-01-05 00:00:00', 9, 'UTC'),"
        f" number, randomPrintableASCII(1000) FROM numbers({2 * ROWS})"
        " SETTINGS max_insert_threads = 1, max_block_size = 100000, min_insert_block_size_rows = 100000,"
        f" {settings}"
    )


def part(client: Client) -> tuple[str, int]:
    """Returns the id of the partition, and the bytes of its only active part."""
    [(partition, size)] = client.query(
        "SELECT partition_id, bytes_on_disk FROM system.parts"
        " WHERE database = currentDatabase() AND table = 'logs_0' AND active"
    ).result_rows
    return str(partition), int(size)


def temporary_bytes(store: Settings) -> int:
    """Returns the bytes of the files of unfinished parts, without files that are hard links of others."""
    total = 0
    for folder, _, files in os.walk(store.home.parent):
        if any(each.startswith("tmp_mut") or each == "moving" for each in Path(folder).parts):
            for name in files:
                # A part that is finished meanwhile gets another name.
                with contextlib.suppress(FileNotFoundError):
                    status = (Path(folder) / name).stat()
                    total += status.st_size if status.st_nlink == 1 else 0
    return total


def samples(store: Settings, statement: str) -> list[tuple[int, int]]:
    """Runs the statement. Until it ends, measures the bytes of unfinished parts again and again. Returns the bytes of
    temporary files that existed before and after a measurement, and the measured bytes."""

    def run() -> None:
        with connect(store) as client:
            client.command(statement)

    found = list[tuple[int, int]]()
    with connect(store) as client, ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        while not running.done():
            before, unfinished, after = temporary_bytes(store), read_unfinished(client), temporary_bytes(store)
            found.append((min(before, after), unfinished))
        running.result()
    return found


@pytest.mark.parametrize(
    "slow_statement",
    [
        # Sleeps 0.1 ms for each row, 2 s in all.
        f"DELETE IN PARTITION ID '{{}}' WHERE tenant_id IN ({LARGE}) AND sleepEachRow(0.0001) = 0"
        " SETTINGS mutations_sync = 1",
        # Takes 5 s.
        "MOVE PARTITION ID '{}' TO VOLUME 'cold' SETTINGS max_local_write_bandwidth = 5000000",
    ],
    ids=["deletion", "move"],
)
def test_files_that_will_replace_others_count_as_free_up_to_the_size_of_the_part(
    store: Settings, slow_statement: str
) -> None:
    with connect(store) as client:
        # With indexes, to write the part again takes long enough to be measured.
        client.command("TRUNCATE TABLE logs_0 SYNC")
        insert(client, WITH_INDEXES)
        partition, size = part(client)
    found = samples(store, f"ALTER TABLE logs_0 {slow_statement.format(partition)}")
    assert any(temporary > 4 * MIB for temporary, _ in found)
    for temporary, unfinished in found:
        assert temporary - MIB <= unfinished <= size + MIB


def test_files_of_an_index_that_is_built_count_as_used_because_they_stay(store: Settings) -> None:
    found = list[tuple[int, int]]()
    with connect(store) as client:
        partition, _ = part(client)
        index = f"INDEX searched_words IN PARTITION ID '{partition}' SETTINGS mutations_sync = 1"
        for _ in range(TRIES):
            client.command(f"ALTER TABLE logs_0 CLEAR {index}")
            found += samples(store, f"ALTER TABLE logs_0 MATERIALIZE {index}")
            if any(temporary > MIB for temporary, _ in found):
                break
    assert any(temporary > MIB for temporary, _ in found)
    assert max(unfinished for _, unfinished in found) < MIB


def while_removed(client: Client, store: Settings) -> list[tuple[int, int]]:
    """Drops the only part of the table. Until ClickHouse has removed its files, measures the bytes that are about to be
    freed and the number of replaced parts again and again. Returns how much more they are than before, the bytes
    without those of the part."""
    [(name, path, size)] = client.query(
        "SELECT name, path, bytes_on_disk FROM system.parts"
        " WHERE database = currentDatabase() AND table = 'logs_0' AND active AND rows > 0"
    ).result_rows
    added = Path(path) / "added"
    added.mkdir()
    for number in range(ADDED_FILES):
        (added / str(number)).touch()
    bytes_before, parts_before = read_removing(client)["default"], replaced_parts(client, END_OF_TIME)

    def drop() -> None:
        with connect(store) as second:
            second.command(f"ALTER TABLE logs_0 DROP PART '{name}'")

    found = list[tuple[int, int]]()
    removed = Path(path).with_name(f"delete_tmp_{name}")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(drop)
        while not running.done():
            if removed.exists():
                measured = read_removing(client)["default"], replaced_parts(client, END_OF_TIME)
                if removed.exists():
                    found.append((measured[0] - bytes_before - int(size), measured[1] - parts_before))
        running.result()
    return found


def test_files_that_are_being_removed_count_as_free_and_not_as_erased(store: Settings) -> None:
    with connect(store) as client:
        for _ in range(TRIES):
            if found := while_removed(client, store):
                break
            insert(client)
    assert found
    for more_bytes, more_parts in found:
        assert more_bytes >= -MIB
        assert more_parts >= 1
