"""Tests of the cells of an answer, and of its text about groups that are not shown."""

import pytest

from backend.language.parse import parse_stats
from backend.stats.answer import cells_of, columns_of, empty_cells, group_of, left_out

STATS = parse_stats("| stats count(), rate(), uniq(a), sum(a), p95(a) by b").stats


def test_cells_are_numbers_that_json_can_hold() -> None:
    assert cells_of(STATS, [10, 10, 2**53, 1.5, None], 4.0) == [10, 2.5, str(2**53), 1.5, None]
    assert cells_of(STATS, [0, 0, 0, float("inf"), float("nan")], 4.0) == [0, 0.0, 0, "inf", "nan"]


def test_a_bucket_without_records_has_no_number_but_counts() -> None:
    assert empty_cells(STATS) == [0, 0.0, 0, None, None]


def test_absent_and_empty_values_differ() -> None:
    assert group_of(["", "+", "++a"]) == [None, "", "+a"]


def test_columns_say_their_error() -> None:
    columns = columns_of(STATS)
    assert [(column.kind, column.type) for column in columns[:2]] == [("field", "text"), ("function", "integer")]
    assert [column.error for column in columns[1:]] == [None, None, 0.004, None, 0.01]


@pytest.mark.parametrize(
    ("found", "shown", "is_complete", "said"),
    [(3, 3, True, None), (5, 3, True, "2 of 5 groups"), (5_000, 3, False, "at least 5,000 groups")],
)
def test_it_says_what_it_leaves_out(found: int, shown: int, is_complete: bool, said: str | None) -> None:
    sentence = left_out(found, shown, is_complete=is_complete)
    assert sentence is None if said is None else sentence is not None and said in sentence
