"""Tests that the query user's password, used directly on ClickHouse, gives access to no logs and no other data."""

import pytest

from kit.clickhouse import Account
from tests.query_user import send_statement
from tests.running_stack import Stack
from tests.searched_tables import searched_tables

ACCESS_DENIED = "(ACCESS_DENIED)"
NO_FOLDER = "current_path"
"""Part of the engine's error for reading a file. The engine raises it before it checks grants."""


def test_without_a_tenant_no_table_has_a_row(stack: Stack) -> None:
    for table in searched_tables(stack.settings):
        answer = send_statement(stack.settings, f"SELECT count() FROM {table}")
        assert (answer.status_code, answer.text) == (200, "0\n"), table


@pytest.mark.parametrize(
    "call",
    [
        "file('/etc/passwd')",
        "file('/etc/passwd', 'nothing')",
        "file(materialize('/etc/passwd'))",
        "file(arrayJoin(['/etc/passwd']), NULL)",
        "file('config.xml')",
    ],
)
@pytest.mark.parametrize("account", list(Account))
def test_no_function_reads_a_file(stack: Stack, call: str, account: Account) -> None:
    """Tests this for both accounts, because the engine requires no grant for the function `file`."""
    answer = send_statement(stack.settings, f"SELECT {call}", account)

    assert answer.status_code != 200
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "source",
    [
        "file('/etc/passwd', 'LineAsString')",
        "url('http://127.0.0.1:1/', 'CSV', 'a String')",
        "remote('127.0.0.1:1', system, one)",
        "remoteSecure('127.0.0.1:1', system, one)",
        "executable('id', 'LineAsString', 'a String')",
        "mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
        "postgresql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
        "mongodb('127.0.0.1:1', 'a', 'b', 'c', 'd', 'e String')",
        "sqlite('/tmp/a', 'b')",
        "redis('127.0.0.1:1', 'a', 'a String')",
        "s3('http://127.0.0.1:1/bucket/a', 'CSV', 'a String')",
        "filesystem('/etc')",
        "dictionary('a')",
        "loop(logs_0)",
        "format(LineAsString, 'a')",
    ],
)
def test_no_table_function_reaches_outside(stack: Stack, source: str) -> None:
    answer = send_statement(stack.settings, f"SELECT * FROM {source}")

    assert ACCESS_DENIED in answer.text or NO_FOLDER in answer.text


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM alembic_version",
        "SELECT * FROM system.query_log",
        "SELECT * FROM system.users",
        "SELECT * FROM system.mutations",
        "SELECT * FROM system.stack_trace",
        "SELECT addressToLine(1)",
        "SELECT hasColumnInTable(currentDatabase(), 'alembic_version', 'version_num')",
        "SHOW CREATE USER logsieve_query",
        "EXECUTE AS logsieve SELECT 1",
        "SYSTEM STOP MERGES logs_0",
        "SYSTEM START LISTEN HTTP",
        "CREATE FUNCTION f AS () -> 1",
        "ALTER USER logsieve_query DEFAULT DATABASE system",
        "SET readonly = 0",
        "SELECT * FROM logs_0 INTO OUTFILE '/tmp/stolen'",
    ],
)
def test_nothing_else_of_the_server_is_shown_or_changed(stack: Stack, statement: str) -> None:
    answer = send_statement(stack.settings, statement)

    assert answer.status_code != 200, answer.text
