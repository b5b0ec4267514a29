"""A statement that nobody waits for any more does not go on in ClickHouse."""

import asyncio
import time

from backend.store.execute import Executor
from backend.store.statement import Statement
from kit.clickhouse import Account
from tests.running_stack import Stack

ROWS = 3 * 10**12
"""Rows that no other statement reads. ClickHouse's list of running statements has their rows, and not their text."""

ENDLESS = Statement(f"SELECT max(sipHash64(number, {{mark:String}})) FROM numbers({ROWS})", {"mark": "abandoned"}, 0)
RUNNING = Statement("SELECT query_id FROM system.processes WHERE total_rows_approx = {rows:UInt64}", {"rows": ROWS}, 0)


def test_an_abandoned_statement_is_stopped(stack: Stack) -> None:
    async def abandon() -> bool:
        executor = Executor(stack.settings, account=Account.owner)
        try:
            asking = asyncio.create_task(executor.run(ENDLESS))
            while not await running(executor):
                assert not asking.done()
            asking.cancel()
            deadline = time.monotonic() + 20
            while await running(executor) and time.monotonic() < deadline:
                await asyncio.sleep(0.1)
            return await running(executor)
        finally:
            await executor.close()

    assert stack.settings.query_max_seconds > 20
    assert not asyncio.run(abandon())


async def running(executor: Executor) -> bool:
    return len((await executor.run(RUNNING)).rows) > 0
