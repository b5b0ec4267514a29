"""Tests that the SQL of `| stats` has no text of users, and reads only columns of the log tables."""

import re

from hypothesis import given

from backend.language.parse import parse_stats
from backend.language.stats_nodes import StatsQuery
from backend.language.tests.queries import stats_queries
from backend.store.compile.filter import compile_filter
from backend.store.compile.stats import compile_stats
from schema.columns import NAMES

PLACEHOLDER = re.compile(r"\{(s[0-9]+):(String|UInt32|Float64)\}")


@given(stats_queries)
def test_no_text_of_a_user_is_in_the_sql(query: StatsQuery) -> None:
    found = compile_stats(query.stats)
    sql = " ".join([*found.keys, *found.calls])
    assert {name for name, _ in PLACEHOLDER.findall(sql)} == set(found.parameters)
    assert set(PLACEHOLDER.sub("", sql)) <= set(
        " ()!=<>',*+/?|$^.[]-\\abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789:"
    )
    assert found.columns <= set(NAMES)
    assert not found.parameters.keys() & compile_filter(query.matching).parameters.keys()


def test_equal_names_share_a_parameter_and_values_stay_out_of_the_sql() -> None:
    found = compile_stats(parse_stats('| stats p95("it\'s"), uniq("it\'s") by "it\'s"').stats)
    assert dict(found.parameters) == {"s0": "it's"}
    assert "it's" not in " ".join([*found.keys, *found.calls])


def test_a_condition_names_the_columns_that_it_reads() -> None:
    found = compile_stats(parse_stats("| stats count_if(error), count_if(service:a), count()").stats)
    assert found.columns == {"body", "service"}
