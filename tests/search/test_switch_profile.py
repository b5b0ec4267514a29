"""Tests that a log table can be switched to another index profile during inserts, searches and a killed switch."""

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from kit.clock import SystemClock
from kit.errors import Conflict, InvalidRequest
from schema.clickhouse.index_profiles import Profile, require_profile
from schema.clickhouse.searched_words import use_searched_words
from schema.clickhouse.switch_profile import Progress, switch_profile, table_profiles
from schema.clickhouse.tables import create_table
from tests.eventually import eventually
from tests.search.engine import ClickHouse

TABLE = "switched"
DAYS = 3
ROWS = 1000
_ANOTHER_PROCESS = """
import sys, clickhouse_connect
from kit.clock import SystemClock
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.switch_profile import switch_profile
client = clickhouse_connect.get_client(host="127.0.0.1", port=int(sys.argv[1]), autogenerate_session_id=False)
switch_profile(client, sys.argv[2], Profile(sys.argv[3]), SystemClock(), lambda progress: print(progress, flush=True))
"""


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


def test_the_table_is_as_one_made_with_the_profile_and_searches_are_right_throughout(filled: ClickHouse) -> None:
    """Tests that a switched table has the indexes of one created with the profile, and that searches stay exact."""

    shown: list[tuple[int, int, int]] = []

    def check_progress(progress: Progress) -> None:
        insert(filled, progress.partitions_done % DAYS)
        shown.append((progress.partitions_done, found(filled), expected(filled)))

    before = index_names(filled)
    switch_profile(filled.client, TABLE, Profile.text, SystemClock(), check_progress)

    assert index_names(filled) == ["body_text", *before[2:]]
    assert shown[-1][0] == DAYS
    assert all(by_index == by_scan > 0 for _, by_index, by_scan in shown)
    assert found(filled) == expected(filled)
    switch_profile(filled.client, TABLE, Profile.tokenbf, SystemClock(), check_progress)
    assert index_names(filled) == before
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
    assert found(filled) == expected(filled)


def test_a_killed_switch_is_finished_by_the_next_run(filled: ClickHouse) -> None:
    port = str(filled.port)
    for kill_after_lines in (1, 3, 5):
        with subprocess.Popen(
            [sys.executable, "-c", _ANOTHER_PROCESS, port, TABLE, Profile.text], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            for _ in range(kill_after_lines):
                child.stdout.readline()
            child.kill()
        assert found(filled) == expected(filled) > 0

    switch_profile(filled.client, TABLE, Profile.text, SystemClock(), lambda _: None)

    assert table_profiles(filled.client, TABLE) == (Profile.text,)
    assert found(filled) == expected(filled)


def test_going_back_half_way_ends_with_the_old_index_alone(filled: ClickHouse) -> None:
    """Tests that a switch back to the old profile works while the new index is still being built."""
    use_searched_words(filled.client, TABLE, Profile.text)
    filled.command(f"ALTER TABLE {TABLE} ADD INDEX body_text lower(body) TYPE text(tokenizer = 'splitByNonAlpha')")
    filled.client.command(f"ALTER TABLE {TABLE} MATERIALIZE INDEX body_text", settings={"mutations_sync": 0})

    switch_profile(filled.client, TABLE, Profile.tokenbf, SystemClock(), lambda _: None)

    assert table_profiles(filled.client, TABLE) == (Profile.tokenbf,)
    assert found(filled) == expected(filled)


def test_two_switches_at_once_leave_a_table_that_has_the_index(filled: ClickHouse) -> None:
    port = str(filled.port)
    command = [sys.executable, "-c", _ANOTHER_PROCESS, port, TABLE, Profile.text]
    with (
        subprocess.Popen(command, stdout=subprocess.DEVNULL) as first,
        subprocess.Popen(command, stdout=subprocess.DEVNULL) as second,
    ):
        while first.poll() is None or second.poll() is None:
            assert found(filled) == expected(filled)
            time.sleep(0.05)
    assert (first.returncode, second.returncode) == (0, 0)
    assert table_profiles(filled.client, TABLE) == (Profile.text,)


@pytest.mark.parametrize("version", ["25.12.4.6", "26.1.9", "24.8"])
def test_the_text_index_is_refused_where_the_server_lacks_it(version: str) -> None:
    with pytest.raises(InvalidRequest, match=r"needs ClickHouse 26\.2 or newer, and this server is"):
        require_profile(Profile.text, version)
    require_profile(Profile.tokenbf, version)


@pytest.mark.parametrize("version", ["26.2.1.1", "26.10.1.3", "27.1"])
def test_the_text_index_is_accepted_where_the_server_has_it(version: str) -> None:
    require_profile(Profile.text, version)
