"""Every plan gives exactly the same pages: over both index profiles, in both orders, through cursors."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from backend.language.nodes import And, Not, Or
from backend.language.print import print_query
from backend.search.asked import PageOptions, Search
from backend.search.cursor import Order
from backend.search.execute import Executor
from backend.search.plans import windowed
from backend.search.schemas import Log, Plan
from backend.search.service import SearchService
from kit.clickhouse import Account
from kit.clock import ManualClock
from kit.settings import Settings
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import create_table
from schema.control.directory import Tenant
from tests.search.aimed_queries import aimed_at
from tests.search.engine import ClickHouse
from tests.search.records import TRICKY, log_columns

SEED = 7
QUERIES = 14
NOW_NS = 1_790_000_000 * 10**9
SECOND_NS = 10**9
MOMENTS = 40
"""Times that all records share, so that most pages end among equal ones."""

PLANS = (Plan.in_order, Plan.two_phase, Plan.windowed, Plan.auto)
WINDOWS_AT_LEAST = 3


@pytest.fixture(scope="module")
def settings(clickhouse: ClickHouse) -> Settings:
    """A lane for each profile with the same records: granules of two rows, so that there are many windows."""
    rng = random.Random(SEED)
    moments = [NOW_NS - rng.randrange(6 * 3_600) * SECOND_NS - rng.randrange(1_000) for _ in range(MOMENTS)]
    records = log_columns(TRICKY * 4)
    # Above 2**64, as ids made of Kafka coordinates are.
    records.id[:] = [2**100 + 3 * number for number in records.id]
    records.timestamp[:] = [rng.choice(moments) for _ in records.timestamp]
    for lane, profile in enumerate(Profile):
        clickhouse.command(f"DROP TABLE IF EXISTS default.logs_{lane}")
        ddl = create_table("default", f"logs_{lane}", profile)
        clickhouse.command(ddl.replace("index_granularity = 512", "index_granularity = 2"))
        clickhouse.insert(f"logs_{lane}", records)
    return Settings(
        clickhouse_url=f"http://127.0.0.1:{clickhouse.port}",
        clickhouse_user="default",
        clickhouse_password="",
        clickhouse_database="default",
    )


def tenant(lane: int) -> Tenant:
    return Tenant(1, "demo", lane, "r30", ("r30",), 30, 4096)


def random_queries() -> list[str]:
    rng = random.Random(SEED)
    leaves = [leaf for record in TRICKY for leaf in aimed_at(record) if "timestamp" not in print_query(leaf)]
    shapes = (
        lambda: rng.choice(leaves),
        lambda: Not(rng.choice(leaves)),
        lambda: And((rng.choice(leaves), Not(rng.choice(leaves)))),
        lambda: Or((rng.choice(leaves), rng.choice(leaves))),
    )
    return [print_query(rng.choice(shapes)()) for _ in range(QUERIES)]


async def all_pages(service: SearchService, lane: int, query: str, options: PageOptions) -> tuple[list[Log], int]:
    """The records of all pages, and the most windows that one page took."""
    found: list[Log] = []
    windows, cursor = 0, None
    while True:
        again = PageOptions(options.order, options.limit, cursor, options.plan)
        page = await service.page(tenant(lane), Search(query, NOW_NS - 6 * 3_600 * SECOND_NS, NOW_NS), again)
        assert options.plan in (page.stats.plan, Plan.auto)
        assert 0 <= (page.stats.granules_read or 0) <= (page.stats.granules_total or 0)
        assert len(page.logs) == options.limit or page.next_cursor is None
        found += page.logs
        windows, cursor = max(windows, page.stats.windows), page.next_cursor
        if cursor is None:
            return found, windows


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
@pytest.mark.parametrize("order", Order)
def test_plans_give_the_same_pages(
    settings: Settings, lane: int, order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windowed, "FIRST_GRANULES", 4)
    monkeypatch.setattr(windowed, "FACTOR", 2)

    async def check(queries: Sequence[str]) -> int:
        executor, rng, most_windows = Executor(settings, account=Account.owner), random.Random(SEED), 0
        service = SearchService(settings, executor, ManualClock(NOW_NS))
        try:
            for query in queries:
                whole, _ = await all_pages(service, lane, query, PageOptions(order, 1_000, None, Plan.in_order))
                keys = [log.id for log in whole]
                assert keys == sorted(keys, reverse=order is Order.desc)
                limit = rng.randrange(max(1, len(whole) // 3), len(whole) + 2)
                for plan in PLANS:
                    found, windows = await all_pages(service, lane, query, PageOptions(order, limit, None, plan))
                    assert found == whole, f"{plan} differs: {query!r}, {limit} a page"
                    most_windows = max(most_windows, windows)
            return most_windows
        finally:
            await executor.close()

    assert asyncio.run(check(random_queries())) >= WINDOWS_AT_LEAST


def test_the_choice_follows_the_index_of_the_table(settings: Settings) -> None:
    async def plans() -> list[Plan]:
        executor = Executor(settings, account=Account.owner)
        service = SearchService(settings, executor, ManualClock(NOW_NS))
        try:
            asked = Search("connection error", None, None)
            return [(await service.explain(tenant(lane), asked, PageOptions())).plan for lane in range(len(Profile))]
        finally:
            await executor.close()

    assert asyncio.run(plans()) == [Plan.windowed, Plan.in_order]
