"""Tests numbers over values that few records have: small fractions, bounds of quantiles, sums beyond any double."""

import pytest

from backend.stats.schemas import LogStats
from backend.store.compile.stats import QUANTILE_ERROR, QUANTILE_MAX, QUANTILE_MIN
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import create_table, table_name
from tests.search.asked import stats_of
from tests.search.engine import ClickHouse
from tests.search.lanes import Lane
from tests.search.records import Record, log_columns
from tests.search.same_pages import NOW_NS

LANE = Lane.precision
COUNT = 1_001
"""Number of values in each series of fractions. The 50th, 90th, 95th and 99th percentile are values of the series."""
STEPS = {"percents": 1e-4, "nanoseconds": 1e-11, "smallest": 1e-17, "negative": -1e-4, "large": 1e17}
"""Series of values: name of the attribute, and the distance between values. A value is 500 to 1,500 steps."""
BOUNDS = {"zero": "0", "least": "1e-15", "less": "-9e-16", "negative_least": "-1e-15", "most": "1e21", "more": "-1e300"}
# A sum that stays infinite needs a value after those that exceed the largest double, in either order of reading.
SUMS = {
    "too large": ("1", "1e308", "1e308", "1"),
    "large": ("1e308", "1"),
    "too negative": ("-1", "-1e308", "-1e308", "-1"),
    "small": ("0.1", "0.2", "0.3"),
}


@pytest.fixture(scope="module")
def stored(clickhouse: ClickHouse) -> ClickHouse:
    table = table_name(LANE)
    clickhouse.command(f"DROP TABLE IF EXISTS {table}")
    clickhouse.command(create_table(clickhouse.settings.clickhouse_database, table, Profile.text))
    records = [
        *(
            Record("", attributes={name: repr(value_of(step, number)) for name, step in STEPS.items()})
            for number in range(COUNT)
        ),
        Record("", attributes=BOUNDS),
        *(Record("", service=name, attributes={"addend": text}) for name, texts in SUMS.items() for text in texts),
    ]
    columns = log_columns(records)
    columns.timestamp[:] = [NOW_NS - 1 - number for number in range(len(records))]
    clickhouse.insert(table, columns)
    return clickhouse


def value_of(step: float, number: int) -> float:
    return (500 + number) * step


def stats(stored: ClickHouse, text: str) -> LogStats:
    return stats_of(stored.settings, LANE, text, NOW_NS - 10**9)


@pytest.mark.parametrize("name", STEPS)
def test_quantiles_of_any_magnitude_have_the_promised_error(stored: ClickHouse, name: str) -> None:
    [cells] = stats(stored, f"| stats p50({name}), p90({name}), p95({name}), p99({name})").rows
    ordered = sorted(value_of(STEPS[name], number) for number in range(COUNT))
    exact = [ordered[place] for place in (500, 900, 950, 990)]
    assert cells == pytest.approx(exact, rel=QUANTILE_ERROR, abs=0)


def test_quantiles_of_values_beyond_the_bounds_are_the_bounds(stored: ClickHouse) -> None:
    [cells] = stats(stored, "| stats " + ", ".join(f"p50({name})" for name in BOUNDS)).rows
    exact = [0, QUANTILE_MIN, 0, -QUANTILE_MIN, QUANTILE_MAX, -QUANTILE_MAX]
    assert cells == pytest.approx(exact, rel=QUANTILE_ERROR * (1 + 1e-9), abs=0)


def test_sums_beyond_the_largest_double_are_infinite_and_ordered_so(stored: ClickHouse) -> None:
    rows = stats(stored, "addend:* | stats sum(addend), avg(addend) by service").rows
    assert rows == [
        ["too large", "inf", "inf"],
        ["large", 1e308, 5e307],
        ["small", pytest.approx(0.6, rel=1e-15), pytest.approx(0.2, rel=1e-15)],
        ["too negative", "-inf", "-inf"],
    ]
