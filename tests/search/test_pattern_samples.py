"""Tests that samples of patterns of messages whose characters have several bytes fit into small answers."""

import pytest

from backend.language.nodes import MatchAll
from backend.patterns.sample import read_sample
from backend.patterns.statements import BODY_BYTES, ROW_BYTES
from backend.store.compile.filter import compile_filter
from backend.store.scope import Scope, TimeRange
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import create_table, table_name
from tests.search.asked import asked
from tests.search.engine import ClickHouse
from tests.search.lanes import Lane
from tests.search.records import Record, log_columns
from tests.search.same_pages import NOW_NS, tenant

LANE = Lane.pattern_samples
COUNT = 300
BODIES = ("a" + "字" * 1_000, "ab" + "🙂" * 1_000, "abc" + "🙂" * 1_000, "x" * 4_000)


@pytest.fixture(scope="module")
def stored(clickhouse: ClickHouse) -> ClickHouse:
    table = table_name(LANE)
    clickhouse.command(f"DROP TABLE IF EXISTS {table}")
    clickhouse.command(create_table(clickhouse.settings.clickhouse_database, table, Profile.text))
    columns = log_columns([Record("shop", body=BODIES[number % len(BODIES)]) for number in range(COUNT)])
    columns.timestamp[:] = [NOW_NS - 1 - number for number in range(COUNT)]
    clickhouse.insert(table, columns)
    return clickhouse


@pytest.mark.parametrize("most", [COUNT, COUNT // 3])
def test_a_sample_fits_into_the_bytes_of_its_rows(stored: ClickHouse, most: int) -> None:
    settings = stored.settings.model_copy(update={"query_max_result_bytes": most * ROW_BYTES})
    owner = tenant(LANE)
    scope = Scope(owner.id, (LANE,), owner.cohorts, TimeRange(NOW_NS - 10**12, NOW_NS))

    sample = asked(settings, lambda executor: read_sample(executor, scope, compile_filter(MatchAll()), most))
    assert (len(sample.messages), sample.matching) == (most, COUNT)
    assert sample.time_range == TimeRange(NOW_NS - COUNT, NOW_NS)
    assert {len(each.body.encode()) for each in sample.messages} == {BODY_BYTES, BODY_BYTES + 1, BODY_BYTES + 2}
