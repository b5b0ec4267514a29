"""Tests that a log table can be switched to another index profile during inserts, searches and a killed switch."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kit.clock import SystemClock
from kit.errors import Conflict, InvalidRequest
from schema.clickhouse import switch_profile as switching
from schema.clickhouse.index_profiles import Profile, require_profile
from schema.clickhouse.searched_words import use_searched_words
from schema.clickhouse.switch_profile import Progress, switch_profile, table_profiles
from schema.clickhouse.tables import create_table
from tests.eventually import eventually
from tests.forked_module import ForkedModule
from tests.search.engine import ClickHouse
from tests.search.explained import granules_read

TABLE = "switched"
DAYS = 3
ROWS = 1000


@pytest.fixture
def filled(clickhouse: ClickHouse) -> Iterator[ClickHouse]:
    clickhouse.command(f"DROP TABLE IF EXISTS {TABLE} SYNC")
    clickhouse.command(create_table("default", TABLE, searched_words=True))
    for day in range(DAYS):
        insert(clickhouse, day)
    yield clickhouse
    clickhouse.command(f"DROP TABLE {TABLE} SYNC")


def insert(clickhouse: ClickHouse, day: int) -> None:
    clickhouse.command(
        f"INSERT INTO {TABLE} (tenant_id, cohort, timestamp, id, body) SETTINGS insert_deduplicate = 0"
        f" SELECT 1, 'r30', toDateTime64('2026-11-01', 9, 'UTC') + toIntervalDay({day}), number,"
        f" 'Word' || toString(number % 100) || ' ' || repeat(hex(cityHash64(number)) || ' ', 20) FROM numbers({ROWS})"
    )


def found(clickhouse: ClickHouse) -> int:
    return int(str(clickhouse.query_rows(f"SELECT count() FROM {TABLE} WHERE hasToken(lower(body), 'word7')")[0][0]))


def expected(clickhouse: ClickHouse) -> int:
    rows = clickhouse.query_rows(
        f"SELECT count() FROM {TABLE} WHERE startsWith(body, 'Word7 ') SETTINGS use_skip_indexes = 0"
    )
    return int(str(rows[0][0]))


def index_names(clickhouse: ClickHouse) -> list[str]:
    rows = clickhouse.query_rows(f"SELECT name FROM system.data_skipping_indices WHERE table = '{TABLE}'")
    return [str(name) for (name,) in rows]


def granules_without_index(clickhouse: ClickHouse) -> int:
    """Returns the number of granules in parts that lack the index of the profile. A search for a word that no record
    has reads these."""
    return granules_read(clickhouse, TABLE, "absent")


def test_the_table_is_as_one_made_with_the_profile_and_searches_are_right_throughout(
    filled: ClickHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests that a switched table and its parts have the indexes of one created with the profile, and that searches
    stay exact. The first step has two partitions, the second step has one."""
    monkeypatch.setattr(switching, "MAX_STEPS", 2)
    shown: list[tuple[int, int, int]] = []

    def check_progress(progress: Progress) -> None:
        insert(filled, progress.partitions_done % DAYS)
        shown.append((progress.partitions_done, found(filled), expected(filled)))

    before = index_names(filled)
    switch_profile(filled.client, TABLE, Profile.text, SystemClock(), check_progress)

    assert (index_names(filled), granules_without_index(filled)) == (["body_text", *before[2:]], 0)
    assert [done for done, *_ in shown[-2:]] == [DAYS - 1, DAYS]
    assert found(filled) == expected(filled)
    switch_profile(filled.client, TABLE, Profile.tokenbf, SystemClock(), check_progress)
    assert (index_names(filled), granules_without_index(filled)) == (before, 0)
    assert [done for done, *_ in shown[-2:]] == [DAYS - 1, DAYS]
    assert all(by_index == by_scan > 0 for _, by_index, by_scan in shown)
    assert found(filled) == expected(filled)


def test_a_build_of_searched_words_ends_with_the_switch_to_text(filled: ClickHouse) -> None:
    filled.command(f"SYSTEM STOP MERGES {TABLE}")  # The build cannot go on.
    filled.client.command(f"ALTER TABLE {TABLE} MATERIALIZE INDEX searched_words", settings={"mutations_sync": 0})
    with ThreadPoolExecutor() as thread:
        switched = thread.submit(switch_profile, filled.client, TABLE, Profile.text, SystemClock(), lambda _: None)
        eventually(lambda: not building(filled), "the build is ended")
        filled.command(f"SYSTEM START MERGES {TABLE}")
        switched.result()

    assert index_names(filled)[0] == "body_text"
    assert "searched_words" not in index_names(filled)
    assert granules_without_index(filled) == 0
    assert found(filled) == expected(filled)


def building(clickhouse: ClickHouse, index: str = "searched_words") -> int:
    rows = clickhouse.query_rows(
        f"SELECT count() FROM system.mutations WHERE table = '{TABLE}' AND NOT is_done"
        f" AND position(command, 'MATERIALIZE INDEX {index}') > 0"
    )
    return int(str(rows[0][0]))


def test_a_table_keeps_the_old_index_if_the_build_of_the_new_one_is_killed(filled: ClickHouse) -> None:
    use_searched_words(filled.client, TABLE, Profile.text)
    filled.command(f"SYSTEM STOP MERGES {TABLE}")  # The build cannot go on.
    with ThreadPoolExecutor() as thread:
        switched = thread.submit(switch_profile, filled.client, TABLE, Profile.text, SystemClock(), lambda _: None)
        try:
            eventually(lambda: building(filled, "body_text") > 0, "the build has started")
            filled.command(f"KILL MUTATION WHERE table = '{TABLE}' AND NOT is_done SYNC")
        finally:
            filled.command(f"SYSTEM START MERGES {TABLE}")
        with pytest.raises(Conflict, match="logsieve index use text"):
            switched.result()

    assert set(table_profiles(filled.client, TABLE)) == set(Profile)
    switch_profile(filled.client, TABLE, Profile.text, SystemClock(), lambda _: None)
    assert table_profiles(filled.client, TABLE) == (Profile.text,)
    assert granules_without_index(filled) == 0
    assert found(filled) == expected(filled)


def another_process(clickhouse: ClickHouse, output: Path) -> ForkedModule:
    """Starts a process that switches the table to profile `text`. It writes a line for each progress."""
    command = ("tests.search.another_switch", str(clickhouse.port), TABLE, Profile.text)
    return ForkedModule(command, os.environ, output, output.with_suffix(".errors"))


def test_a_killed_switch_is_finished_by_the_next_run(filled: ClickHouse, tmp_path: Path) -> None:
    output = tmp_path / "progress"
    os.mkfifo(output)
    for kill_after_lines in (1, 3, 5):
        child = another_process(filled, output)
        with output.open() as lines:
            for _ in range(kill_after_lines):
                lines.readline()
            child.kill()
            if kill_after_lines == 1:
                assert child.wait(30) == -signal.SIGKILL, output.with_suffix(".errors").read_text()
            else:  # It may have ended before.
                child.wait(30)
        assert found(filled) == expected(filled) > 0

    switch_profile(filled.client, TABLE, Profile.text, SystemClock(), lambda _: None)

    assert table_profiles(filled.client, TABLE) == (Profile.text,)
    assert granules_without_index(filled) == 0
    assert found(filled) == expected(filled)


def test_going_back_half_way_ends_with_the_old_index_alone(filled: ClickHouse) -> None:
    """Tests that a switch back to the old profile works while the new index is still being built."""
    use_searched_words(filled.client, TABLE, Profile.text)
    filled.command(f"ALTER TABLE {TABLE} ADD INDEX body_text lower(body) TYPE text(tokenizer = 'splitByNonAlpha')")
    filled.client.command(f"ALTER TABLE {TABLE} MATERIALIZE INDEX body_text", settings={"mutations_sync": 0})

    switch_profile(filled.client, TABLE, Profile.tokenbf, SystemClock(), lambda _: None)

    assert table_profiles(filled.client, TABLE) == (Profile.tokenbf,)
    assert granules_without_index(filled) == 0
    assert found(filled) == expected(filled)


def test_two_switches_at_once_leave_a_table_that_has_the_index(filled: ClickHouse, tmp_path: Path) -> None:
    first, second = (another_process(filled, tmp_path / name) for name in ("first", "second"))
    while first.poll() is None or second.poll() is None:
        assert found(filled) == expected(filled)
        time.sleep(0.05)
    assert (first.poll(), second.poll()) == (0, 0)
    assert table_profiles(filled.client, TABLE) == (Profile.text,)
    assert granules_without_index(filled) == 0


@pytest.mark.parametrize("version", ["25.12.4.6", "26.1.9", "24.8"])
def test_the_text_index_is_refused_where_the_server_lacks_it(version: str) -> None:
    with pytest.raises(InvalidRequest, match=r"needs ClickHouse 26\.2 or newer, and this server is"):
        require_profile(Profile.text, version)
    require_profile(Profile.tokenbf, version)


@pytest.mark.parametrize("version", ["26.2.1.1", "26.10.1.3", "27.1"])
def test_the_text_index_is_accepted_where_the_server_has_it(version: str) -> None:
    require_profile(Profile.text, version)
