"""Tests that the results that a process reads from ClickHouse at the same time are limited together."""

import asyncio
from typing import Any

import pytest

from backend.store import execute
from backend.store.execute import ANSWERS, Executor
from backend.store.limits import ShareTooSmall
from backend.store.result_budget import ResultBudget
from backend.store.slots import search_slots
from kit.clickhouse_statements import ServerAnswer, StatementClient
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.directory import Directory

MAX_BYTES = 1_000
"""Largest result of one statement, in bytes."""


class ArrivingClient(StatementClient):
    """A client whose answers arrive as far as half of the largest result, and end when the test allows it."""

    def __init__(self) -> None:
        self.server_settings = {}
        self.reading = 0
        self.end = asyncio.Event()

    async def query(  # type: ignore[override]  # other arguments are not used
        self, _sql: str, _parameters: Any, _settings: Any, _kind: str, count: Any
    ) -> ServerAnswer:
        count(MAX_BYTES // 2)
        self.reading += 1
        await self.end.wait()
        count(MAX_BYTES // 2)
        return ServerAnswer([(1,)], {}, "id")

    async def close(self) -> None:
        pass


def test_results_of_a_tenant_take_half_of_the_memory_and_are_free_after_they_were_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = Settings(query_max_result_bytes=MAX_BYTES)

    async def use() -> None:
        client = ArrivingClient()

        async def connect(*_: object) -> StatementClient:
            return client

        monkeypatch.setattr(execute, "connect_async", connect)
        clock, directory = SystemClock(), Directory("sqlite+aiosqlite://", 2.0, SystemClock())
        executor = Executor(settings, search_slots(settings, directory, clock, ResultBudget.of(settings)))
        reading = [asyncio.create_task(executor.run(ANSWERS)) for _ in range(4)]
        while client.reading < len(reading):
            await asyncio.sleep(0)
        with pytest.raises(ShareTooSmall, match="2,000 bytes of results are being read for this tenant"):
            await executor.run(ANSWERS)
        client.end.set()
        ended = await asyncio.gather(*reading, return_exceptions=True)
        assert {type(each) for each in ended if isinstance(each, BaseException)} == {ShareTooSmall}
        for _ in range(4):
            await executor.run(ANSWERS)
        await executor.close()

    asyncio.run(use())


def test_a_tenant_gets_a_result_of_the_largest_size_beside_another_that_takes_all_it_may() -> None:
    budget = ResultBudget.of(Settings(query_max_result_bytes=MAX_BYTES))
    with budget.share(1) as largest, budget.share(2) as other:
        largest.grow(2 * MAX_BYTES)
        with pytest.raises(ShareTooSmall):
            largest.grow(1)
        other.grow(MAX_BYTES)
