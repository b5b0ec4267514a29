"""Tests that ClickHouse's row policies limit each statement to its tenant's rows, whatever its SQL is."""

import asyncio
import re
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from backend.store.execute import Executor
from backend.store.rows import Rows
from kit.clickhouse import Account, connect
from kit.errors import LogsieveError
from schema.clickhouse.query_user import HIDDEN_FUNCTIONS
from schema.usage import TABLE as USAGE
from tests.raw_statement import raw_statement
from tests.running_stack import Stack
from tests.searched_tables import searched_tables

pytestmark = pytest.mark.one_server

OURS, THEIRS = 4_100_000_001, 4_100_000_002
"""Tenant numbers that no tenant of the control plane and no other test has."""


GRANULE = 8_192


@pytest.fixture(scope="module")
def owner(stack: Stack) -> Iterator[Client]:
    """Yields a client with the account that owns the tables.

    In each table that searches read, tenant OURS has three rows and THEIRS has four.
    """
    client = connect(stack.settings)
    for table in searched_tables(stack.settings):
        rows = [[OURS]] * 3 + [[THEIRS]] * 4
        columns: list[str] = ["tenant_id"]
        values: list[list[Any]] = list(rows)
        if table == USAGE:
            # Rows of this table are removed if they are old or all counts are 0, and summed if their keys are equal.
            now, columns = datetime.now(UTC), ["tenant_id", "minute", "outcome", "requests"]
            values = [[row[0], now, str(number), 1] for number, row in enumerate(rows)]
        elif "fields_" in table:
            columns, values = ["tenant_id", "value", "records"], [[row[0], str(n), 1] for n, row in enumerate(rows)]
        client.insert(table, values, column_names=columns, settings={"insert_deduplication_token": secrets.token_hex()})
    yield client
    for table in searched_tables(stack.settings):
        client.command(f"DELETE FROM {table} WHERE tenant_id >= {OURS}")
    client.close()


def select(stack: Stack, sql: str, tenant_id: int) -> list[tuple[Any, ...]]:
    return list(answer_of(stack, sql, tenant_id).rows)


def answer_of(stack: Stack, sql: str, tenant_id: int) -> Rows[tuple[Any, ...]]:
    async def run() -> Rows[tuple[Any, ...]]:
        executor = Executor(stack.settings)
        try:
            return await executor.run(raw_statement(sql, tenant_id=tenant_id))
        finally:
            await executor.close()

    return asyncio.run(run())


def test_a_statement_without_a_tenant_sees_its_own_tenant_only(stack: Stack, owner: Client) -> None:
    for table in searched_tables(stack.settings):
        everything = f"SELECT tenant_id, count() FROM {table} GROUP BY tenant_id"
        assert {OURS, THEIRS} <= {row[0] for row in owner.query(everything).result_rows}
        assert [tuple(row) for row in select(stack, everything, OURS)] == [(OURS, 3)]
        assert [tuple(row) for row in select(stack, everything, THEIRS)] == [(THEIRS, 4)]
        assert select(stack, everything, 0) == []
        assert [tuple(row) for row in select(stack, f"SELECT count() FROM {table}", OURS)] == [(3,)]
        joined = f"SELECT count() FROM {table} AS a WHERE tenant_id IN (SELECT tenant_id FROM {table})"
        assert [tuple(row) for row in select(stack, joined, OURS)] == [(3,)]


def test_the_policy_alone_skips_what_is_other_tenants(stack: Stack, owner: Client) -> None:
    """Tests that the row policy skips granules by the primary key, like a condition on the tenant in the statement."""
    rows, tenants = 100_000, (OURS + 10, OURS + 11)
    for tenant in tenants:
        owner.command(f"INSERT INTO logs_0 (tenant_id, body) SELECT {tenant}, toString(number) FROM numbers({rows})")

    for tenant in tenants:
        answer = answer_of(stack, "SELECT count() FROM logs_0 WHERE NOT ignore(body)", tenant)
        assert [tuple(row) for row in answer.rows] == [(rows,)]
        assert rows <= answer.cost.rows_read <= rows + 2 * GRANULE


@pytest.mark.usefixtures("owner")
def test_several_lanes_read_at_once_are_held_to_it_too(stack: Stack) -> None:
    """Tests that a statement over several log tables sees only its tenant's rows."""
    sql = "SELECT tenant_id, count() FROM merge(currentDatabase(), '^(logs_0|logs_1)$') GROUP BY tenant_id"

    assert [tuple(row) for row in select(stack, sql, OURS)] == [(OURS, 6)]


@pytest.mark.usefixtures("owner")
@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO logs_0 (tenant_id) SELECT 1",
        "DROP TABLE logs_0",
        "TRUNCATE TABLE usage",
        "ALTER TABLE logs_0 DELETE WHERE 1",
        "CREATE TABLE stolen ENGINE = Memory AS SELECT * FROM logs_0",
        "CREATE TEMPORARY TABLE kept (a UInt8) ENGINE = File(CSV)",
        "SELECT * FROM alembic_version",
        "SELECT query FROM system.query_log",
        "SELECT query FROM system.processes",
        "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
        "SELECT * FROM file('/etc/passwd', 'LineAsString')",
        "SELECT * FROM remote('127.0.0.1:1', 'logsieve', 'logs_0')",
        "SELECT * FROM logs_0 INTO OUTFILE '/tmp/stolen'",
        "SELECT * FROM loop(logsieve, logs_0)",
        "SELECT file('/etc/passwd')",
        "SELECT `file` ('/etc/passwd')",
        "SELECT * FROM system.parts",
        "SELECT * FROM system.text_log",
        "SELECT * FROM information_schema.tables",
        "CREATE TEMPORARY TABLE kept (a UInt8)",
        "SYSTEM DROP MARK CACHE",
        "KILL QUERY WHERE 1",
        "GRANT ALL ON *.* TO logsieve_query",
    ],
)
def test_it_can_do_nothing_but_read_logs(stack: Stack, sql: str) -> None:
    with pytest.raises(LogsieveError):
        select(stack, sql, OURS)


HARMLESS = {
    "SQLStandardValues",
    "eval",  # runs a statement with the same grants
    "fuzzJSON",
    "fuzzQuery",
    "generateRandom",
    "generateSeries",
    "generate_series",
    "input",
    "merge",  # reads tables with their own grants and row policies
    "null",
    "numbers",
    "numbers_mt",
    "primes",
    "values",
    "view",
    "viewIfPermitted",
}
"""Table functions that need no grant, and return no stored rows except those of the tenant."""


def test_every_table_function_is_refused_or_known(owner: Client) -> None:
    """Fails if a new release of ClickHouse permits readers a table function that is not in HARMLESS."""
    open_to_readers = owner.query("SELECT name FROM system.table_functions WHERE allow_readonly").result_rows
    grants = [row[0] for row in owner.query("SHOW GRANTS FOR logsieve_query").result_rows]

    assert {row[0] for row in open_to_readers} == HARMLESS | set(HIDDEN_FUNCTIONS)
    # All other table functions need CREATE TEMPORARY TABLE or a grant for their source.
    assert all(re.match(r"GRANT SELECT(\([\w, ]+\))? ON \w+\.\w+ TO", grant) for grant in grants)


def test_functions_about_a_table_show_nothing_of_any_tenant(stack: Stack, owner: Client) -> None:
    owner.command("ALTER TABLE logs_3 ADD PROJECTION by_body (SELECT tenant_id, body ORDER BY body)")
    try:
        owner.command(f"INSERT INTO logs_3 (tenant_id, body) VALUES ({THEIRS}, 'theirsecret {secrets.token_hex()}')")
        uuid = owner.command("SELECT uuid FROM system.tables WHERE database = currentDatabase() AND name = 'logs_3'")
        sources = [
            "mergeTreeIndex(currentDatabase(), logs_3)",
            "mergeTreeIndex(currentDatabase(), logs_3) AS logs_3",
            "mergeTreeAnalyzeIndexes(currentDatabase(), logs_3)",
            f"mergeTreeAnalyzeIndexesUUID('{uuid}')",
            "mergeTreeTextIndex(currentDatabase(), logs_3, searched_words)",
            "mergeTreeProjection(currentDatabase(), logs_3, by_body)",
        ]
        for source in sources:
            assert len(owner.query(f"SELECT * FROM {source} LIMIT 1").result_rows) == 1, source
            assert select(stack, f"SELECT * FROM {source}", THEIRS) == [], source
            assert select(stack, f"SELECT * FROM view(SELECT * FROM {source})", THEIRS) == [], source
    finally:
        owner.command("ALTER TABLE logs_3 DROP PROJECTION by_body")


def test_the_log_of_statements_shows_the_work_of_the_own_ones_and_no_text(stack: Stack, owner: Client) -> None:
    """Tests that a tenant reads WORK_COLUMNS of its own statements, and no other columns or statements."""
    for tenant in (OURS, THEIRS):
        select(stack, "SELECT count() FROM logs_0", tenant)
    owner.command("SYSTEM FLUSH LOGS query_log")
    all_of = "SELECT DISTINCT initial_query_id FROM system.query_log WHERE type = 'QueryFinish'"
    own = f"{all_of} AND user = 'logsieve_query' AND log_comment = "

    for tenant in (OURS, THEIRS):
        known = {row[0] for row in owner.query(f"{own}'{tenant}'").result_rows}
        seen = {row[0] for row in select(stack, all_of, tenant)}
        assert known
        assert known <= seen
        # The log is flushed again, because `seen` may include statements that were logged after the first flush.
        owner.command("SYSTEM FLUSH LOGS query_log")
        assert seen <= {row[0] for row in owner.query(f"{own}'{tenant}'").result_rows}
    for column in ("query", "formatted_query", "user", "tables", "exception", "log_comment", "Settings"):
        with pytest.raises(LogsieveError):
            select(stack, f"SELECT {column} FROM system.query_log", OURS)


def test_what_is_stored_in_all_is_not_shown(stack: Stack) -> None:
    """Tests that system tables, which could show the rows and bytes of all tenants, return nothing."""
    for table in ("tables", "columns"):
        assert select(stack, f"SELECT * FROM system.{table}", OURS) == []


def test_every_table_of_the_database_is_closed_or_has_a_row_policy(stack: Stack, owner: Client) -> None:
    tables = {
        row[0] for row in owner.query("SELECT name FROM system.tables WHERE database = currentDatabase()").result_rows
    }
    for table in tables - set(searched_tables(stack.settings)):
        with pytest.raises(LogsieveError):
            select(stack, f"SELECT * FROM {table} LIMIT 1", OURS)


def test_only_the_password_opens_it(stack: Stack) -> None:
    """Tests that the query user cannot connect without its password."""
    wrong = stack.settings.model_copy(update={"clickhouse_password": None, "clickhouse_user": "logsieve_query"})
    with pytest.raises(LogsieveError):
        connect(wrong)


def test_the_owner_reads_all_tenants(stack: Stack, owner: Client) -> None:
    async def run() -> int:
        executor = Executor(stack.settings, account=Account.owner)
        try:
            answer = await executor.run(raw_statement(f"SELECT uniq(tenant_id) FROM usage WHERE tenant_id >= {OURS}"))
            return int(answer.rows[0][0])
        finally:
            await executor.close()

    assert owner.ping()
    assert asyncio.run(run()) == 2
