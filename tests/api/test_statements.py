"""Tests that Logsieve's ClickHouse client gives the same rows as clickhouse-connect's, and reports errors."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import pytest
from clickhouse_connect.driver import create_async_client

from backend.store.execute import Executor
from backend.store.select_records import RECORD_COLUMNS
from kit.clickhouse import Account, connect_async
from kit.errors import QueryTooExpensive, Unavailable
from tests import otlp
from tests.api_client import Api
from tests.raw_statement import raw_statement
from tests.running_stack import Stack
from tests.tenants import new_tenant

TYPES = (
    "SELECT number, toString(number), toLowCardinality(toString(number % 3)), [number, 2], map('a', number),"
    " toFixedString('ab', 4), toDateTime64(number, 9, 'UTC'), toUInt128(number), number / 3, (1, 'x'), NULL"
    " FROM numbers({rows:UInt32})"
)
"""Statement whose rows have a value of each kind of type that Logsieve's statements return."""
HOSTILE = "it's \\ a\ttab, a\nline, 'quotes', {p0:String}, \x00, ü and %20 & =?"


async def both(stack: Stack, sql: str, parameters: dict[str, Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Returns the rows of a statement, first from Logsieve's client, then from clickhouse-connect's."""
    settings = stack.settings
    url = settings.clickhouse_http_urls[0].removeprefix("http://")
    ours = await connect_async(settings, Account.owner)
    theirs = await create_async_client(
        host=url.split(":")[0],
        port=int(url.split(":")[1]),
        username=settings.clickhouse_user,
        password=settings.clickhouse_secret,
        database=settings.clickhouse_database,
    )
    try:
        answers = await ours.query(sql, parameters, {}), await theirs.query(sql, parameters=parameters)
        return [tuple(row) for row in answers[0].result_rows], [tuple(row) for row in answers[1].result_rows]
    finally:
        await ours.close()
        await theirs.close()


@pytest.mark.parametrize("rows", [0, 1, 100_000])
def test_rows_of_every_type_are_the_same(stack: Stack, rows: int) -> None:
    ours, theirs = asyncio.run(both(stack, TYPES, {"rows": rows}))
    assert len(ours) == rows
    assert ours == theirs


@pytest.mark.parametrize("text", [HOSTILE, HOSTILE * 1_000], ids=["in the address", "as a form"])
def test_parameters_of_any_text_and_length_arrive(stack: Stack, text: str) -> None:
    sql = "SELECT {text:String} AS a, {list:Array(String)} AS b"
    ours, theirs = asyncio.run(both(stack, sql, {"text": text, "list": [text, "'"]}))
    assert ours == theirs == [(text, [text, "'"])]


@pytest.mark.one_server
def test_records_are_the_same(stack: Stack) -> None:
    keys = new_tenant(stack, "statements")
    records = [otlp.record(f"{HOSTILE[:20]} {number}") for number in range(300)]
    started = time.time_ns()
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(len(records), started - 10**9, time.time_ns() + 10**10)
    # Only of this tenant, because the stack's own logs may arrive between both answers.
    sql = (
        f"SELECT {RECORD_COLUMNS} FROM merge(currentDatabase(), '^logs_[0-9]+$') WHERE tenant_id = {keys.id}"
        " ORDER BY timestamp, id"
    )
    ours, theirs = asyncio.run(both(stack, sql, {}))
    assert len(ours) == len(records)
    assert ours == theirs


def select(stack: Stack, sql: str, **settings: Any) -> Any:
    async def run() -> Any:
        executor = Executor(stack.settings.model_copy(update=settings), account=Account.owner)
        try:
            return await executor.run(raw_statement(sql))
        finally:
            await executor.close()

    return asyncio.run(run())


def test_summary_and_name_arrive(stack: Stack) -> None:
    found = select(stack, "SELECT count() FROM numbers(1000) WHERE number % 7 = 1")
    assert (found.cost.rows_read, found.cost.bytes_read) == (1_000, 8_000)
    assert found.cost.elapsed_ms > 0
    assert found.query_id


def test_an_error_after_the_first_rows_is_an_error_and_not_fewer_rows(stack: Stack) -> None:
    late = "SELECT throwIf(number = 3000000, 'late', toInt16(159)) FROM numbers(4000000)"
    with pytest.raises(QueryTooExpensive):
        select(stack, f"{late} SETTINGS max_block_size = 1000, allow_custom_error_code_in_throwif = 1")


def test_an_error_names_the_limit_and_its_value(stack: Stack) -> None:
    with pytest.raises(QueryTooExpensive, match="more than 1,000,000 bytes of memory"):
        select(stack, "SELECT groupArray(number) FROM numbers(10000000)", query_max_memory=1_000_000)


def test_a_wrong_password_is_reported_as_one(stack: Stack) -> None:
    with pytest.raises(Unavailable, match="LOGSIEVE_CLICKHOUSE_PASSWORD"):
        select(stack, "SELECT 1", clickhouse_user="nobody")
