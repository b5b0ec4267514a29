"""A statement that nobody waits for any more does not go on in ClickHouse."""

import asyncio
import time

from backend.store.execute import Executor
from kit.clickhouse import Account
from tests.raw_statement import raw_statement
from tests.running_stack import Stack

TENANT = 4_100_000_041
"""A number that no tenant of the control plane has, and no other test. ClickHouse's list of running statements has it
as a setting."""

ENDLESS = raw_statement("SELECT max(sipHash64(number)) FROM numbers(3000000000000)", tenant_id=TENANT)
RUNNING = raw_statement(
    "SELECT query_id FROM system.processes WHERE Settings['log_comment'] = {tenant:String}", {"tenant": str(TENANT)}
)


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
