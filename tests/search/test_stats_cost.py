"""Tests that numbers over records with a word read no bodies where the index knows the rows."""

import pytest

from backend.stats.schemas import LogStats
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import create_table, table_name
from tests.search.asked import stats_of
from tests.search.engine import ClickHouse
from tests.search.lanes import Lane
from tests.search.same_pages import NOW_NS

LANES = {Profile.tokenbf: Lane.cost_tokenbf, Profile.text: Lane.cost_text}
RECORDS = 20_000
BODY = 2_000
"""Bytes of a body."""
START_NS = NOW_NS - 3_600 * 10**9


@pytest.fixture(scope="module")
def stored(clickhouse: ClickHouse) -> ClickHouse:
    for profile, lane in LANES.items():
        table = table_name(lane)
        clickhouse.command(f"DROP TABLE IF EXISTS {table}")
        clickhouse.command(create_table(clickhouse.settings.clickhouse_database, table, profile))
        clickhouse.command(
            f"INSERT INTO {table} (tenant_id, cohort, timestamp, id, service, body) SELECT 1, 'r30', "
            f"fromUnixTimestamp64Nano(toInt64({START_NS} + number * 1000), 'UTC'), number, toString(number % 3), "
            f"if(number % 5 = 0, 'needle ', '') || substring(hex(randomString({BODY})), 1, {BODY}) "
            f"FROM numbers({RECORDS})"
        )
    return clickhouse


def stats(stored: ClickHouse, profile: Profile, text: str) -> LogStats:
    return stats_of(stored.settings, LANES[profile], text, START_NS)


@pytest.mark.parametrize("by", ["", " by service", " by service, time(10m)", " by service | limit 1"])
def test_counts_of_words_read_no_bodies_with_profile_text(stored: ClickHouse, by: str) -> None:
    by_index = stats(stored, Profile.text, f"needle | stats count(){by}")
    by_bodies = stats(stored, Profile.tokenbf, f"needle | stats count(){by}")
    assert (by_index.rows, by_index.series) == (by_bodies.rows, by_bodies.series)
    assert by_index.rows or by_index.series
    assert by_bodies.cost.bytes_read > RECORDS * BODY
    assert by_index.cost.bytes_read < RECORDS * BODY / 20
