"""Tests that the printed SQL is complete for the settings, and that printing it connects to nothing."""

from pathlib import Path

from kit.settings import Settings
from schema.migration_sql import NOT_PRINTED, migration_sql


def test_it_starts_with_empty_databases_and_says_what_is_left_out(tmp_path: Path) -> None:
    shown = migration_sql(Settings(home=tmp_path, lanes=2))

    assert shown.startswith(NOT_PRINTED)
    assert "CREATE TABLE api_key" in shown
    assert "INSERT INTO lane (number) VALUES (0), (1);" in shown
    assert shown.index("CREATE DATABASE IF NOT EXISTS `logsieve`;") < shown.index("TABLE IF NOT EXISTS logs_0\n")
    assert "logs_1" in shown
    assert "logs_2" not in shown
    assert "body_text" not in shown
    assert "Distributed" not in shown
    assert "CREATE USER" not in shown
    assert list(tmp_path.iterdir()) == []


def test_shards_of_others_with_text_indexes_get_all_of_it(tmp_path: Path) -> None:
    shown = migration_sql(
        Settings(
            home=tmp_path,
            lanes=1,
            index_profile="text",
            control_url="postgresql+asyncpg://u:control-secret@db/logsieve",
            clickhouse_url="http://a:8123,http://b:8123",
            clickhouse_password="owner-secret",
            clickhouse_query_password="query-secret",
        )
    )

    assert "INSERT INTO lane (number) VALUES (0);" in shown
    assert "-- log store, on each of the 2 servers\n" in shown
    assert "ALTER TABLE logs_0 ADD INDEX IF NOT EXISTS `body_text`" in shown
    assert "ALTER TABLE logs_0 DROP INDEX IF EXISTS `body_words`;" in shown
    for table in ("logs_0", "fields_0", "usage"):
        made = f"CREATE OR REPLACE TABLE `logsieve`.`distributed_{table}` AS `logsieve`.`{table}`"
        policy = f"CREATE ROW POLICY OR REPLACE logsieve_tenant ON `logsieve`.distributed_{table} USING"
        assert 0 < shown.index(made) < shown.index(policy)
    assert "CREATE USER IF NOT EXISTS `logsieve_query` IDENTIFIED WITH sha256_password BY <password>" in shown
    assert "secret" not in shown


def test_replicas_of_empty_databases_are_complete(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, lanes=1, clickhouse_url="http://a|http://b", clickhouse_query_password="secret")

    shown = migration_sql(settings)

    assert "-- log store, on each of the 2 servers\n" in shown
    assert "CREATE TABLE IF NOT EXISTS complete_replica" in shown
    assert "GRANT SELECT ON `logsieve`.complete_replica TO `logsieve_query`" in shown
