"""Tests that ClickHouse stops a statement when nothing waits for its answer any more."""

import asyncio
import time

from backend.store.execute import Executor
from kit.clickhouse import Account, connect
from tests.raw_statement import raw_statement
from tests.running_stack import Stack

TENANT = 4_100_000_041
"""Number of the statement's tenant, by which the test finds the statement. No other statement has it."""

LIMIT_SECONDS, STOPPED_SECONDS = 200.0, 60.0
"""Seconds after which ClickHouse stops a statement by itself, and those within which it must stop an abandoned one."""

ENDLESS = raw_statement("SELECT max(sipHash64(number)) FROM numbers(3000000000000)", tenant_id=TENANT)
RUNNING = f"SELECT count() FROM system.processes WHERE Settings['log_comment'] = '{TENANT}'"


def test_an_abandoned_statement_is_stopped(stack: Stack) -> None:
    settings = stack.settings.model_copy(update={"query_max_seconds": LIMIT_SECONDS})

    async def abandon() -> bool:
        executor = Executor(settings, account=Account.owner)
        try:
            running = asyncio.create_task(executor.run(ENDLESS))
            while not await asyncio.to_thread(is_running, stack):
                assert not running.done()
            running.cancel()
            deadline = time.monotonic() + STOPPED_SECONDS
            while await asyncio.to_thread(is_running, stack) and time.monotonic() < deadline:
                await asyncio.sleep(0.1)
            return await asyncio.to_thread(is_running, stack)
        finally:
            await executor.close()

    assert not asyncio.run(abandon())


def is_running(stack: Stack) -> bool:
    with connect(stack.settings) as client:
        return int(client.query(RUNNING).result_rows[0][0]) > 0
