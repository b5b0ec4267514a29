"""Tests that the numbers of `| stats` agree with an oracle in Python, over both index profiles."""

import asyncio
from typing import Any

import pytest

from backend.stats import statements
from backend.store import time_buckets
from backend.store.compile import stats as compiled_stats
from kit.errors import LogsieveError
from kit.settings import Settings
from schema.clickhouse.index_profiles import Profile
from tests.chance import SEED, repetitions
from tests.search.engine import ClickHouse
from tests.search.same_pages import make_lanes
from tests.search.same_stats import START_NS, compare_stats, random_stats

TEXTS = repetitions(1_100)
TEXTS_FOR_A_MISTAKE = 4_000
"""Largest number of texts among which a mistake must be found. Most seeds need fewer than 50, one of ten needed 407."""
_value = compiled_stats._value
_place = statements._place
_ranked = statements.ScopedStats.ranked


@pytest.fixture(scope="module")
def settings(clickhouse: ClickHouse) -> Settings:
    make_lanes(clickhouse.settings, [clickhouse])
    return clickhouse.settings


@pytest.mark.parametrize("lane", range(len(Profile)), ids=list(Profile))
def test_numbers_agree_with_the_oracle(settings: Settings, lane: int) -> None:
    left_out = asyncio.run(compare_stats(settings, lane, random_stats(SEED, TEXTS)))
    assert left_out > 0


MISTAKES: dict[str, tuple[Any, str, Any]] = {
    "any text is a number": (compiled_stats, "NUMBER_PATTERN", "^-?[0-9]*"),
    "an empty value is an absent one": (
        compiled_stats,
        "_key",
        lambda field, parameters: "if({0} AND {1} != '', concat('+', {1}), '')".format(*_value(field, parameters)),
    ),
    "a quantile is less accurate than it says": (compiled_stats, "QUANTILE_ERROR", 0.03),
    "logarithms in sketches are truncated towards zero": (compiled_stats, "_QUANTILE_SCALE", 1.0),
    "values of absent fields are counted": (
        compiled_stats,
        "_value",
        lambda field, parameters: ("1", _value(field, parameters)[1]),
    ),
    "the order is turned": (statements.ScopedStats, "order", property(lambda _: "ranked ASC NULLS LAST")),
    "groups without an order are ranked by their records": (
        statements.ScopedStats,
        "ranked",
        lambda requested, key: "count()" if requested.stats.sort is None else _ranked(requested, key),
    ),
    "missing numbers come first": (statements.ScopedStats, "order", property(lambda _: "ranked DESC NULLS FIRST")),
    "buckets begin with the range": (
        time_buckets,
        "BUCKET_SQL",
        f"intDiv(toUnixTimestamp64Nano(timestamp) - {START_NS}, {{width_ns:Int64}}) + intDiv({START_NS}, "
        "{width_ns:Int64})",
    ),
    "others are left out of their sum": (
        statements,
        "_place",
        lambda requested: _place(requested).replace("IN {chosen:Array(String)}", "NOT IN {chosen:Array(String)}"),
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(settings: Settings, monkeypatch: pytest.MonkeyPatch, mistake: str) -> None:
    monkeypatch.setattr(*MISTAKES[mistake])
    with pytest.raises((AssertionError, LogsieveError)):
        asyncio.run(compare_stats(settings, 0, random_stats(SEED, TEXTS_FOR_A_MISTAKE)))
