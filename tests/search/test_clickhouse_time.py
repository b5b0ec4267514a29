"""Tests the statement by which alert workers read ClickHouse's time."""

import asyncio
import time

from backend.alerts.agreed_clock import CLICKHOUSE_TIME
from backend.store.execute import Executor
from kit.clickhouse import Account
from tests.search.engine import ClickHouse


def test_clickhouse_answers_with_its_time_in_nanoseconds(clickhouse: ClickHouse) -> None:
    async def read() -> int:
        executor = Executor(clickhouse.settings, account=Account.owner)
        try:
            return (await executor.run(CLICKHOUSE_TIME)).rows[0]
        finally:
            await executor.close()

    before_ns = time.time_ns()
    assert before_ns <= asyncio.run(read()) <= time.time_ns()
