"""Tests that the SQL of migrations, when run by hand, has the effect of `logsieve migrate`."""

import sqlite3
from pathlib import Path

import clickhouse_connect
import pytest
from clickhouse_connect.driver.exceptions import DatabaseError

from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.switch_profile import table_profiles
from schema.drift import find_drift
from schema.migration_sql import migration_sql
from tests.search.engine import ClickHouse

LANES = 2


def test_the_printed_sql_leaves_no_drift(clickhouse: ClickHouse, tmp_path: Path) -> None:
    settings = clickhouse.settings.model_copy(
        update={"home": tmp_path, "lanes": LANES, "index_profile": "text", "clickhouse_database": "printed"}
    )
    control, rest = migration_sql(settings).split("-- log store\n")
    log_store, user = rest.split("-- the ClickHouse user of searches\n")
    with sqlite3.connect(tmp_path / "control.db") as database:
        database.executescript(control)
        lanes = database.execute("SELECT number FROM lane ORDER BY number").fetchall()
    # The connection has a session, like a person's at a terminal, in which `USE` has effect.
    with clickhouse_connect.get_client(port=clickhouse.port, session_id="printed") as client:
        for statement in statements(log_store):
            client.command(statement)
        # This engine's user may not create users. That the engine can parse the statements shows that they are whole.
        for statement in statements(user.replace("<password>", "'a long one'")):
            client.command(f"EXPLAIN AST {statement}")
        with pytest.raises(DatabaseError, match="SYNTAX_ERROR"):
            client.command(f"EXPLAIN AST {statements(user)[0]}")

        assert [table_profiles(client, f"logs_{lane}") for lane in range(LANES)] == [(Profile.text,)] * LANES
    assert lanes == [(0,), (1,)]
    assert find_drift(settings) == []


def statements(text: str) -> list[str]:
    return [each.strip() for each in text.split(";\n") if each.strip()]
