"""Tests that the numbers of `| stats` over two shards agree with an oracle in Python in the second replica of each.

tests/shards/test_plans_agree_over_shards.py tests the same in shards without a second replica.
"""

import asyncio
from collections.abc import Iterator

import pytest

from kit.settings import Settings
from schema.clickhouse.index_profiles import Profile
from tests.chance import SEED, repetitions
from tests.empty_store import empty_store
from tests.replicas.conftest import REPLICAS
from tests.running_stack import Stack
from tests.search.same_pages import make_lanes
from tests.search.same_stats import compare_stats, random_stats

TEXTS = repetitions(300)


@pytest.fixture(scope="module")
def settings(replicated: Stack) -> Iterator[Settings]:
    with empty_store(replicated.settings.of_replica(REPLICAS - 1)) as store:
        make_lanes(store.settings, store.shards)
        yield store.settings


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
def test_numbers_are_exact_in_the_second_replica(settings: Settings, lane: int) -> None:
    texts = random_stats(SEED + settings.loader_replica, TEXTS)
    left_out = asyncio.run(compare_stats(settings, lane, texts))
    assert left_out > 0
