"""Tests that migrations can be repeated on a running stack, and that `migrate --check` finds changes made by hand."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from alembic.script import ScriptDirectory

from kit.clickhouse import ALTER_SECONDS, connect, connect_to_alter
from kit.errors import Conflict, Unavailable
from kit.settings import Settings
from kit.tls import trusted
from schema.clickhouse.add_lane import create_local_tables
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.switch_profile import table_profiles
from schema.clickhouse.tables import table_name
from schema.clickhouse.versions import stored_versions
from schema.drift import clickhouse_drift, find_drift
from schema.migrate import migrate_clickhouse
from schema.revisions import revisions
from tests.forked_module import run_module
from tests.running_stack import Stack, stack_environment


def test_a_migrated_stack_has_no_drift_and_migrates_again(stack: Stack) -> None:
    assert find_drift(stack.settings) == []
    again = stack.logsieve("migrate")
    assert again.returncode == 0, again.stderr
    checked = stack.logsieve("migrate", "--check")
    assert (checked.returncode, checked.stdout) == (0, "")


def test_a_table_changed_by_hand_is_drift_until_it_is_put_back(stack: Stack) -> None:
    lane = f"`{stack.settings.clickhouse_database}`.logs_{stack.settings.lanes - 1}"
    try:
        execute(stack, f"ALTER TABLE {lane} DROP INDEX traces")
        drifted = stack.logsieve("migrate", "--check")
    finally:
        execute(stack, f"ALTER TABLE {lane} ADD INDEX traces trace_id TYPE bloom_filter(0.01) AFTER resource_keys")

    assert drifted.returncode == 1
    assert f"logs_{stack.settings.lanes - 1}" in drifted.stdout
    assert "INDEX traces" in drifted.stdout
    assert find_drift(stack.settings) == []


def test_settings_that_operators_choose_are_no_drift(stack: Stack) -> None:
    alter = f"ALTER TABLE `{stack.settings.clickhouse_database}`.logs_{stack.settings.lanes - 1}"
    try:
        execute(stack, f"{alter} MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1")
        execute(stack, f"{alter} MODIFY SETTING non_replicated_deduplication_window = 60000")
        tolerated = find_drift(stack.settings)
        execute(stack, f"{alter} MODIFY SETTING non_replicated_deduplication_window = 29999")
        [too_small] = find_drift(stack.settings)
    finally:
        execute(stack, f"{alter} MODIFY SETTING non_replicated_deduplication_window = 30000")
        execute(stack, f"{alter} RESET SETTING fsync_after_insert, fsync_part_directory")

    assert tolerated == []
    assert "non_replicated_deduplication_window = 29999" in too_small.difference


def test_an_index_profile_is_no_drift_but_half_of_a_switch_is(stack: Stack) -> None:
    with own_database(stack, "switched", lanes=2) as settings:
        migrate_clickhouse(settings)
        environment = stack_environment(
            stack.home,
            settings.port_offset,
            {"LOGSIEVE_CLICKHOUSE_DATABASE": settings.clickhouse_database, "LOGSIEVE_LANES": str(settings.lanes)},
        )

        def index(*arguments: str) -> str:
            done = run_module(("stack", "index", *arguments), environment, 120)
            assert done.returncode == 0, done.stderr
            return done.stdout

        for lane in range(settings.lanes):
            execute(stack, f"INSERT INTO switched.{table_name(lane)} (tenant_id, timestamp) VALUES (1, now64(9))")
        index("use", "text")
        assert [each["profiles"] for each in json.loads(index("show", "--json"))] == [["text"]] * settings.lanes
        assert clickhouse_drift(settings) == []
        execute(stack, "ALTER TABLE switched.logs_0 ADD INDEX body_words lower(body) TYPE tokenbf_v1(8192, 5, 0) FIRST")
        [half] = clickhouse_drift(settings)
        assert (half.where, "finish `logsieve index use" in half.difference) == ("logs_0", True)
        index("use", "tokenbf")
        assert clickhouse_drift(settings) == []


def test_a_first_migration_that_was_interrupted_gives_empty_tables_the_profile_of_the_settings(stack: Stack) -> None:
    with own_database(stack, "interrupted", lanes=2) as tokenbf:
        migrate_clickhouse(tokenbf)
        execute(stack, "INSERT INTO interrupted.logs_0 (tenant_id, timestamp) VALUES (1, now64(9))")
        migrate_clickhouse(tokenbf.model_copy(update={"index_profile": "text"}))
        with connect(tokenbf) as client:
            profiles = [table_profiles(client, table_name(lane)) for lane in range(2)]
    assert profiles == [(Profile.tokenbf,), (Profile.text,)]


def test_a_client_for_alters_waits_a_day_for_locks(stack: Stack) -> None:
    with connect_to_alter(stack.settings, 0) as client:
        assert client.command("SELECT toUInt32(getSetting('lock_acquire_timeout'))") == ALTER_SECONDS


def test_log_tables_of_a_newer_release_are_left_as_they_are(stack: Stack) -> None:
    with own_database(stack, "newer", lanes=1) as settings:
        migrate_clickhouse(settings)
        execute(stack, "INSERT INTO newer.alembic_version (version_num) VALUES ('9999')")
        with pytest.raises(Conflict, match=r"the log tables were migrated by a newer release \(revision 9999\)"):
            migrate_clickhouse(settings)
        [drift] = clickhouse_drift(settings)
        assert drift.difference.startswith("a newer release has migrated it (revision 9999): ")


def test_a_step_that_clickhouse_refuses_is_named_and_done_by_the_next_migration(stack: Stack) -> None:
    steps = list[str]()
    with own_database(stack, "refused", lanes=1) as settings:
        migrate_clickhouse(settings, report=steps.append)
        assert not steps, "tables that are new have no steps that take time"
        execute(stack, "TRUNCATE TABLE refused.alembic_version SYNC")
        execute(stack, "INSERT INTO refused.alembic_version (version_num) VALUES ('0010')")
        assert [drift.difference for drift in clickhouse_drift(settings)] == [
            "its revision is 0010, and this release's is 0011: run `logsieve migrate`"
        ]
        execute(stack, "ALTER TABLE refused.logs_0 MODIFY COLUMN timestamp CODEC(Delta(8), ZSTD(1))")
        execute(stack, "RENAME TABLE refused.logs_0 TO refused.kept")
        execute(stack, "CREATE VIEW refused.logs_0 AS SELECT * FROM refused.kept")
        with pytest.raises(Unavailable, match=r"refused a step of the migration: .*; remove the cause, then run"):
            migrate_clickhouse(settings)
        execute(stack, "DROP VIEW refused.logs_0 SYNC")
        execute(stack, "RENAME TABLE refused.kept TO refused.logs_0")
        migrate_clickhouse(settings, report=steps.append)
        assert [step.partition(":")[0] for step in steps] == ["upgrading log tables"]
        assert "(revision 0011)" in steps[0]
        assert not clickhouse_drift(settings)


def test_a_version_that_two_migrations_have_stored_is_upgraded_and_stored_once(stack: Stack) -> None:
    steps = list[str]()
    with own_database(stack, "twice", lanes=1) as settings:
        migrate_clickhouse(settings)
        execute(stack, "TRUNCATE TABLE twice.alembic_version SYNC")
        execute(stack, "INSERT INTO twice.alembic_version (version_num) VALUES ('0010'), ('0010')")
        migrate_clickhouse(settings, report=steps.append)
        with connect(settings) as client:
            versions = client.query("SELECT version_num FROM alembic_version").result_rows
    assert "(revision 0011)" in steps[0]
    assert [*versions] == [(max(ScriptDirectory.from_config(revisions("clickhouse")).get_heads()),)]


@pytest.mark.parametrize("version", ["0010", None])
def test_a_lane_that_was_copied_during_a_revision_gets_it_from_the_next_migration(
    stack: Stack, version: str | None
) -> None:
    """A loader copies lane 0 before the revision changes it. `version` is the server's; None: the server is new."""
    with own_database(stack, "copied", lanes=1) as settings:
        if version is not None:
            migrate_clickhouse(settings)
            execute(stack, "TRUNCATE TABLE copied.alembic_version SYNC")
            execute(stack, f"INSERT INTO copied.alembic_version (version_num) VALUES ('{version}')")
            execute(stack, "ALTER TABLE copied.logs_0 MODIFY COLUMN timestamp CODEC(Delta(8), ZSTD(1))")
        copied = list[int]()

        def require_alone() -> None:
            with connect(settings) as client:
                if stored_versions(client) - {version} and not copied:
                    copied.append(1)
                    create_local_tables(client, "copied", 1)
                    old = "ALTER TABLE logs_1 MODIFY COLUMN timestamp CODEC(Delta(8), ZSTD(1))"
                    client.command(old)
                    raise Conflict("the lease was taken")

        with pytest.raises(Conflict, match="the lease was taken"):
            migrate_clickhouse(settings, require_alone=require_alone)
        migrate_clickhouse(settings)
        assert copied
        assert not clickhouse_drift(settings)


@contextmanager
def own_database(stack: Stack, name: str, lanes: int) -> Iterator[Settings]:
    """Yields the settings of the stack with another database of its ClickHouse, which has no tables yet."""
    execute(stack, f"DROP DATABASE IF EXISTS {name}")
    try:
        yield stack.settings.model_copy(update={"clickhouse_database": name, "lanes": lanes})
    finally:
        execute(stack, f"DROP DATABASE {name}")


def execute(stack: Stack, statement: str) -> None:
    headers = {"X-ClickHouse-User": "logsieve", "X-ClickHouse-Key": stack.settings.clickhouse_secret}
    httpx2.post(
        stack.clickhouse_url, content=statement, headers=headers, timeout=60, verify=trusted()
    ).raise_for_status()
