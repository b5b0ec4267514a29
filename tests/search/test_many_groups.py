"""Tests that a million groups are answered within bounded memory, exactly, and with what is left out."""

import pytest

from backend.language.parse import parse_stats
from backend.stats import groups
from backend.stats.run import Run
from backend.stats.schemas import LogStats
from backend.stats.statements import ScopedStats, first_groups
from backend.store.compile.filter import compile_filter
from backend.store.compile.stats import QUANTILE_ERROR, UNIQ_ERROR, compile_stats
from backend.store.execute import Executor
from backend.store.scope import Scopes, TimeRange
from kit.clock import ManualClock
from kit.errors import QueryTooExpensive
from kit.settings import Settings
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import create_table, table_name
from tests.search.asked import asked, stats_of
from tests.search.engine import ClickHouse
from tests.search.lanes import Lane
from tests.search.same_pages import NOW_NS, tenant

LANE = Lane.many_groups
USERS = 999_000
HEAVY = 500
"""Number of records of the most frequent user, which are stored last."""
MEMORY = 600 * 2**20
"""Bytes of memory that a statement may use. Without bounds, the groups below take several times as much."""
MAX_EQUAL_HASHES = 5
"""Largest number of pairs with equal hashes of 32 bits among 60,000 values, of which 0.4 are expected."""
START_NS = NOW_NS - 3_600 * 10**9
EXPENSIVE = "| stats count(), uniq(user), p95(ms), p50(ms) by user, place | limit 3"


@pytest.fixture(scope="module")
def settings(clickhouse: ClickHouse) -> Settings:
    table = table_name(LANE)
    clickhouse.command(f"DROP TABLE IF EXISTS {table}")
    clickhouse.command(create_table(clickhouse.settings.clickhouse_database, table, Profile.text))
    user = f"if(number < {USERS}, toString(number), 'heavy')"
    clickhouse.command(
        f"INSERT INTO {table} (tenant_id, cohort, timestamp, id, body, attributes) "
        f"SELECT 1, 'r30', fromUnixTimestamp64Nano(toInt64({START_NS} + number * 1000), 'UTC'), number, 'paid', "
        f"map('user', {user}, 'ms', toString(number % 1000), 'place', toString(number % 7)) "
        f"FROM numbers({USERS + HEAVY})"
    )
    return clickhouse.settings.model_copy(update={"query_max_memory": MEMORY})


def stats(settings: Settings, text: str) -> LogStats:
    return stats_of(settings, LANE, text, START_NS)


def test_without_bounds_so_many_groups_are_too_expensive(settings: Settings) -> None:
    async def read(executor: Executor) -> None:
        query = parse_stats(EXPENSIVE)
        scope = Scopes(settings, ManualClock(NOW_NS)).of(tenant(LANE), TimeRange(START_NS, NOW_NS))
        requested = ScopedStats(scope, compile_filter(query.matching), query.stats, compile_stats(query.stats), {})
        await Run(executor).rows(first_groups(requested, 2**31))

    with pytest.raises(QueryTooExpensive, match="memory"):
        asked(settings, read)


@pytest.mark.parametrize("text", [EXPENSIVE, "paid | stats count(), uniq(user), p95(ms), p50(ms) by user | limit 3"])
def test_the_most_frequent_of_a_million_values_is_found_though_it_comes_last(settings: Settings, text: str) -> None:
    answer = stats(settings, text)
    place = text.count("place")
    heavy = [row for row in answer.rows if row[0] == "heavy"]
    counts = [int(str(row[1 + place])) for row in answer.rows]
    assert answer.rows[: len(heavy)] == heavy
    assert counts == sorted(counts, reverse=True)
    assert answer.groups.complete
    assert answer.groups.found == USERS + (7 if place else 1)
    assert (answer.groups.shown, len(answer.rows)) == (3, 3)
    assert heavy[0][1 + place] == (-(-HEAVY // 7) if place else HEAVY)
    assert answer.other is not None
    assert sum(counts) + int(str(answer.other[0])) == USERS + HEAVY
    assert answer.left_out is not None


def test_beyond_the_bound_numbers_are_exact_and_the_choice_is_said_to_be_approximate(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "MAX_GROUPS", 50_000)
    answer = stats(settings, "| stats count(), sum(ms) by user | limit 5")
    assert not answer.groups.complete
    assert 50_000 <= answer.groups.found < USERS
    assert answer.left_out is not None
    assert "may rank higher than a shown one" in answer.left_out
    for user, count, milliseconds in answer.rows:
        if user == "heavy":
            assert count == HEAVY
        else:
            assert (count, milliseconds) == (1, int(str(user)) % 1_000)
    assert answer.other is not None
    shown = sum(int(str(row[1])) for row in answer.rows)
    assert shown + int(str(answer.other[0])) == USERS + HEAVY


def test_groups_in_the_order_of_a_heavy_function_are_bounded_too(settings: Settings) -> None:
    answer = stats(settings, "| stats p95(ms) by user, time(30m) | sort p95(ms) | limit 2")
    assert not answer.groups.complete
    assert [each.kind for each in answer.series] == ["group", "group", "other"]


def test_estimates_over_a_million_values_are_within_their_error(settings: Settings) -> None:
    [[users, median, last]] = stats(settings, "| stats uniq(user), p50(ms), p99(ms)").rows
    assert abs(int(str(users)) - (USERS + 1)) <= 4 * UNIQ_ERROR * USERS
    assert abs(float(str(median)) - 499) <= 499 * QUANTILE_ERROR + 1
    assert abs(float(str(last)) - 989) <= 989 * QUANTILE_ERROR + 1


def test_fewer_different_values_than_the_sample_are_counted_one_by_one(settings: Settings) -> None:
    [[users]] = stats(settings, "user:<60000 | stats uniq(user)").rows
    assert abs(int(str(users)) - 60_000) <= MAX_EQUAL_HASHES
