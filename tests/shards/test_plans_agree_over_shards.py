"""Every plan gives exactly the same pages over two shards, also where records of both have equal timestamps."""

import asyncio

import pytest

from backend.search.cursor import Order
from backend.search.plans import windowed
from kit.settings import Settings
from schema.clickhouse.distributed import distributed_name
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import table_name
from tests.search.same_pages import make_lanes, most_windows_of_same_pages, random_queries
from tests.shards.conftest import EmptyStore

QUERIES = 3
WINDOWS_AT_LEAST = 3


@pytest.fixture(scope="module")
def settings(empty_store: EmptyStore) -> Settings:
    make_lanes(empty_store.settings, empty_store.shards)
    return empty_store.settings


@pytest.mark.usefixtures("settings")
def test_most_moments_have_records_on_both_shards(empty_store: EmptyStore) -> None:
    table = distributed_name(table_name(0))
    shards_by_moment = f"SELECT uniqExact(_shard_num) AS shards FROM {table} GROUP BY timestamp"
    [(both, all_moments)] = empty_store.shards[0].query_rows(
        f"SELECT countIf(shards = 2), count() FROM ({shards_by_moment})"
    )
    assert int(str(both)) > int(str(all_moments)) / 2


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
@pytest.mark.parametrize("order", Order)
def test_plans_give_the_same_pages(
    settings: Settings, lane: int, order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windowed, "FIRST_GRANULES", 4)
    monkeypatch.setattr(windowed, "FACTOR", 2)
    windows = asyncio.run(most_windows_of_same_pages(settings, lane, order, random_queries(QUERIES)))
    assert windows >= WINDOWS_AT_LEAST
