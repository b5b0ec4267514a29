"""Tests which tables get minute counts."""

import pytest

from ingest.minute_counts.worth import MAX_PARTS, MIN_PARTS, TableSize, is_worth_counting

ROWS = 1_000


@pytest.mark.parametrize(
    ("parts", "rows", "expected"),
    [
        (0, 0, False),
        (1, ROWS * MIN_PARTS, True),
        (1, ROWS * MIN_PARTS - 1, False),
        (MIN_PARTS, ROWS * MIN_PARTS, True),
        (MIN_PARTS + 1, ROWS * MIN_PARTS, False),
        (MAX_PARTS, ROWS * MAX_PARTS, True),
        (MAX_PARTS + 1, ROWS * MAX_PARTS * 10, False),
    ],
)
def test_few_large_parts_are_worth_it(parts: int, rows: int, expected: bool) -> None:
    assert is_worth_counting(TableSize("logs_0", parts, rows), ROWS) is expected
