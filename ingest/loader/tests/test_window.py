"""Tests the arithmetic of docs/decisions/0007-what-clickhouse-remembers.md."""

import pytest
from pydantic import ValidationError

from ingest.loader.consume import HEARTBEAT_SECONDS, SESSION_SECONDS
from ingest.loader.insert import RECEIVE_MARGIN_SECONDS
from ingest.loader.loop import MAX_PARTS
from ingest.loader.standstill import CHECK_SECONDS, STANDSTILL_SECONDS
from ingest.loader.token_tries import COUNTS_SECONDS, ROWS_SECONDS
from kit.settings import Settings
from schema.clickhouse.tables import TABLE_SETTINGS

REPEATED_WITHIN_SECONDS = 60
BLOCKS_A_SECOND = 500
REBALANCE_SECONDS = 5

WINDOW = TABLE_SETTINGS["non_replicated_deduplication_window"]


def test_a_token_is_remembered_until_it_is_repeated() -> None:
    assert WINDOW >= REPEATED_WITHIN_SECONDS * BLOCKS_A_SECOND


def test_the_window_holds_many_of_the_largest_batches() -> None:
    assert WINDOW >= 300 * MAX_PARTS


def test_there_is_time_to_repeat_after_a_session_has_ended() -> None:
    assert REPEATED_WITHIN_SECONDS >= 5 * SESSION_SECONDS


def test_a_next_owner_repeats_tokens_only_in_that_time() -> None:
    taken_over = SESSION_SECONDS + REBALANCE_SECONDS
    assert taken_over + ROWS_SECONDS <= REPEATED_WITHIN_SECONDS
    assert taken_over + COUNTS_SECONDS <= 2 * REPEATED_WITHIN_SECONDS, "the table of counts remembers twice as many"


def test_an_insert_without_an_answer_is_given_up_in_time_to_be_repeated() -> None:
    longest = 45.0
    with pytest.raises(ValidationError):
        Settings(insert_max_seconds=longest + 1)
    assert Settings(insert_max_seconds=longest).insert_max_seconds + RECEIVE_MARGIN_SECONDS < REPEATED_WITHIN_SECONDS


def test_a_standstill_is_noticed_before_the_session_can_have_ended() -> None:
    assert STANDSTILL_SECONDS + CHECK_SECONDS + HEARTBEAT_SECONDS < SESSION_SECONDS
