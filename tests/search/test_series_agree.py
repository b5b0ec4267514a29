"""Tests that histograms by the values of a field are exact, with both index profiles."""

import asyncio

import pytest

from kit.settings import Settings
from schema.clickhouse.index_profiles import Profile
from tests.search.engine import ClickHouse
from tests.search.same_pages import make_lanes, random_queries
from tests.search.same_series import FIELDS, compare_series

QUERIES = 8
FEW_FIELDS = FIELDS[::3]


@pytest.fixture(scope="module")
def settings(clickhouse: ClickHouse) -> Settings:
    make_lanes(clickhouse.settings, [clickhouse])
    return clickhouse.settings


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
def test_series_are_exact(settings: Settings, lane: int) -> None:
    # The field is read in the same way with both profiles. They differ in how the records of a query are found.
    fields = FIELDS if lane == 0 else FEW_FIELDS
    others = asyncio.run(compare_series(settings, lane, ["", *random_queries(QUERIES)], fields))
    assert others > 0
