"""Tests that pages and counts over two shards are exact, even if both shards have records of equal timestamps."""

import asyncio
from itertools import pairwise

import pytest

from backend.search.parameters import ExplainParameters
from backend.store.order import Order
from kit.settings import Settings
from schema.clickhouse.distributed import distributed_name
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import table_name
from tests.chance import SEED, repetitions
from tests.empty_store import EmptyStore
from tests.search.asked import searched
from tests.search.same_pages import (
    make_lanes,
    max_windows_of_same_pages,
    random_queries,
    tenant,
    use_every_path,
)
from tests.search.same_series import compare_series
from tests.search.same_stats import compare_stats, random_stats

QUERIES = 3
TEXTS = repetitions(400)
CONFLICT = 'flags:>=0 | stats count_if(severity_text:["b" TO "a"] -service:a), count() by scope.name'
"""A condition within a function that no record can fulfil, which ClickHouse would simplify on one server only."""
MATCHES_NONE = "-body_truncated_bytes:>=0"
"""Query that no record matches and no index answers, so that its page is read in several windows."""
MIN_WINDOWS = 3


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
    use_every_path(monkeypatch)
    queries = [MATCHES_NONE, *random_queries(QUERIES, SEED)]
    windows = asyncio.run(max_windows_of_same_pages(settings, lane, order, queries, SEED))
    assert windows >= MIN_WINDOWS


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
def test_series_are_exact(settings: Settings, lane: int) -> None:
    others = asyncio.run(compare_series(settings, lane, ["", *random_queries(QUERIES)]))
    assert others > 0


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
def test_numbers_are_exact(settings: Settings, lane: int) -> None:
    left_out = asyncio.run(compare_stats(settings, lane, [CONFLICT, *random_stats(SEED, TEXTS)]))
    assert left_out > 0


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
def test_explain_adds_up_what_both_shards_have(settings: Settings, empty_store: EmptyStore, lane: int) -> None:
    granules = sizes = 0
    for shard in empty_store.shards:
        table = f"database = '{settings.clickhouse_database}' AND table = '{table_name(lane)}'"
        [(found,)] = shard.query_rows(f"SELECT sum(marks) - count() FROM system.parts WHERE active AND {table}")
        [(size,)] = shard.query_rows(
            f"SELECT data_compressed_bytes FROM system.data_skipping_indices WHERE {table}"
            " AND startsWith(name, 'body_')"
        )
        assert int(str(found)) > 0 < int(str(size))
        granules, sizes = granules + int(str(found)), sizes + int(str(size))
    requested = ExplainParameters(query="connection")
    explanation = searched(settings, lambda service: service.explain(tenant(lane), requested))
    assert (explanation.shards, "distributed" in explanation.sql) == ([0, 1], False)
    assert "each of 2 tables is read alone" in explanation.why
    assert len({(index.name, index.type) for index in explanation.indexes}) == len(explanation.indexes)
    assert explanation.indexes[0].granules_total == granules
    [(before, words)] = [
        (earlier, later) for earlier, later in pairwise(explanation.indexes) if later.name.startswith("body_")
    ]
    assert words.bytes == sizes
    assert 0 < words.granules_read < words.granules_total == before.granules_read
