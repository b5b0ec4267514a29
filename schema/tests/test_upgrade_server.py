"""Tests how long an upgrade of a ClickHouse server waits, and what it says about a failure."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from alembic.script import ScriptDirectory
from clickhouse_connect.driver.exceptions import DatabaseError, OperationalError
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError

from kit.clickhouse import ALTER_SECONDS
from kit.errors import Unavailable
from kit.settings import Settings
from schema.clickhouse import upgrade_server
from schema.clickhouse.upgrade_server import errors_as_sentences
from schema.revisions import revisions

URL = "http://127.0.0.1:8123"


def test_a_connection_waits_longer_than_an_index_takes_to_be_dropped(tmp_path: Path) -> None:
    url = upgrade_server._url(Settings(home=tmp_path), 0)
    assert url.query == {"send_receive_timeout": str(ALTER_SECONDS), "lock_acquire_timeout": str(ALTER_SECONDS)}


@pytest.mark.parametrize(
    "error",
    [
        DBAPIError("ALTER TABLE logs_0", None, OperationalError("Read timed out")),
        OperationalError("Connection refused"),
    ],
)
def test_a_server_that_stops_answering_is_named(error: Exception) -> None:
    with pytest.raises(Unavailable, match=f"ClickHouse at {URL} stopped answering .* run `logsieve migrate` again"):
        fail(error)


def test_a_refused_step_has_the_reason_of_the_server_and_not_the_statement() -> None:
    refused = DatabaseError("code: 473, Locking attempt for ALTER has timed out!\nSELECT", code=473)
    with pytest.raises(Unavailable) as caught:
        fail(DBAPIError("ALTER TABLE logs_0", None, refused))
    assert "code: 473, Locking attempt for ALTER has timed out!; remove the cause" in caught.value.detail
    assert "ALTER TABLE" not in caught.value.detail
    assert "SELECT" not in caught.value.detail


@pytest.mark.parametrize(
    ("versions", "missing"),
    [
        (("0009",), ["0010", "0011"]),
        (("0009", "0009"), ["0010", "0011"]),
        (("0008", "0009"), []),
        (("9999", "9999"), []),
        ((), []),
    ],
)
def test_the_steps_of_an_upgrade_are_those_after_the_version(versions: tuple[str, ...], missing: list[str]) -> None:
    with create_engine("sqlite://").connect() as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num TEXT)")
        for version in versions:
            connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (version,))
        found = upgrade_server._missing(revisions("clickhouse"), connection)
    assert [script.revision for script in found][: len(missing) or None] == missing


def test_all_indexes_of_a_table_are_dropped_by_one_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    statements = list[str]()
    revision = ScriptDirectory.from_config(revisions("clickhouse")).get_revision("0009")
    assert revision is not None
    monkeypatch.setattr(revision.module, "op", SimpleNamespace(execute=statements.append))
    monkeypatch.setattr(revision.module, "lane_tables", lambda _: ("logs_0",))
    revision.module.upgrade()
    assert [each.count("DROP INDEX") for each in statements if "DROP INDEX" in each] == [3]


def fail(error: Exception) -> None:
    with errors_as_sentences(URL):
        raise error
