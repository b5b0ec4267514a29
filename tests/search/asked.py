"""Runs services over an engine, with the rights of the tables' owner."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from backend.logs.parameters import SearchParameters
from backend.search.service import SearchService
from backend.search.tests.services import search_service
from backend.stats.schemas import LogStats
from backend.stats.tests.services import stats_service
from backend.store.execute import Executor
from kit.clickhouse import Account
from kit.clock import Clock, ManualClock
from kit.settings import Settings
from tests.search.same_pages import NOW_NS, tenant

T = TypeVar("T")


def asked(settings: Settings, ask: Callable[[Executor], Awaitable[T]]) -> T:
    """Returns what the function reads with an Executor, which is closed afterwards."""

    async def run() -> T:
        executor = Executor(settings, account=Account.owner)
        try:
            return await ask(executor)
        finally:
            await executor.close()

    return asyncio.run(run())


def searched(settings: Settings, search: Callable[[SearchService], Awaitable[T]], clock: Clock | None = None) -> T:
    """Returns what the function reads with a SearchService. Its time is NOW_NS without a clock."""
    return asked(settings, lambda executor: search(search_service(settings, executor, clock or ManualClock(NOW_NS))))


def stats_of(settings: Settings, lane: int, text: str, start_ns: int) -> LogStats:
    """Returns the numbers of the records of a lane from `start_ns` to NOW_NS."""
    requested = SearchParameters(query=text, start=start_ns, end=NOW_NS)
    return asked(
        settings,
        lambda executor: stats_service(settings, executor, ManualClock(NOW_NS)).stats(tenant(lane), requested),
    )
