"""Tests which settings of a table on a server are differences from the code."""

import pytest

from schema.drift import comparable

EXPECTED = [
    "(",
    "    `body` String",
    ")",
    "ENGINE = MergeTree",
    "SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 30000",
]


def with_settings(text: str) -> list[str]:
    """Returns the expected table with other settings."""
    return [*EXPECTED[:-1], f"SETTINGS {text}"]


@pytest.mark.parametrize(
    "settings",
    [
        "index_granularity = 1024, non_replicated_deduplication_window = 30000",
        "index_granularity = 1024, non_replicated_deduplication_window = 60000",
        "fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 1024,"
        " non_replicated_deduplication_window = 30000",
    ],
)
def test_settings_that_operators_choose_are_no_difference(settings: str) -> None:
    assert comparable(with_settings(settings), EXPECTED) == EXPECTED


@pytest.mark.parametrize(
    "settings",
    [
        "index_granularity = 1024, non_replicated_deduplication_window = 29999",
        "index_granularity = 8192, non_replicated_deduplication_window = 30000",
        "non_replicated_deduplication_window = 30000",
        "index_granularity = 1024",
        "index_granularity = 1024, non_replicated_deduplication_window = 30000, storage_policy = 'cold'",
    ],
)
def test_settings_of_the_code_are_compared(settings: str) -> None:
    assert comparable(with_settings(settings), EXPECTED) != EXPECTED


def test_a_table_for_which_the_code_has_no_settings_may_have_some() -> None:
    assert comparable(with_settings("fsync_after_insert = 1"), EXPECTED[:-1]) == EXPECTED[:-1]
