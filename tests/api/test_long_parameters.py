"""Tests that ClickHouse reads parameters that are too long for a URL."""

import asyncio

from kit.clickhouse import Account, connect_async
from tests.running_stack import Stack


def test_a_long_parameter_arrives_as_it_is(stack: Stack) -> None:
    value = "x&y=z %20'\\\n\tä" * 1_000

    async def use() -> str:
        client = await connect_async(stack.settings, Account.query, 0)
        try:
            rows = (await client.query("SELECT {a:String}, {b:UInt8}", {"a": value, "b": 1}, {})).result_rows
        finally:
            await client.close()
        return str(rows[0][0])

    assert asyncio.run(use()) == value
