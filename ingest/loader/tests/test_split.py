"""Tests batches that cost too much, with failing stores and dying loaders: each row is stored once or a dead letter."""

import random
from collections.abc import Callable
from unittest.mock import Mock, patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.loader.insert_errors import TooExpensive
from ingest.loader.split import SLOW_BYTES, Piece, Splitter
from ingest.loader.tests.failing_loads import FAULTS, load, problems
from ingest.loader.tests.failing_store import FailingStore
from ingest.loader.tests.rows import rows_on_days
from schema.otlp import LogMessage
from tests.chance import repetitions


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[LogMessage], frozenset[int], random.Random]:
    days = st.sets(st.sampled_from([20_000, 20_001, 20_002]), min_size=1)
    messages = [rows_on_days(offset, each) for offset, each in enumerate(draw(st.lists(days, min_size=1, max_size=7)))]
    guilty = draw(st.sets(st.sampled_from([each.first_record_id for each in messages]), max_size=3))
    return messages, frozenset(guilty), random.Random(draw(st.integers(0, 2**32)))


@settings(max_examples=repetitions(3_000), deadline=None)
@given(case=cases())
def test_every_row_is_in_once_and_only_what_costs_too_much_is_dead(
    case: tuple[list[LogMessage], frozenset[int], random.Random],
) -> None:
    messages, guilty, rng = case
    store = FailingStore(rng, guilty, FAULTS)
    load(store, messages)
    assert problems(store, messages) == []


def test_without_faults_exactly_the_guilty_message_is_dead() -> None:
    messages = [rows_on_days(offset, {20_000}) for offset in range(7)]
    store = FailingStore(random.Random(1), frozenset({messages[4].first_record_id}), faults=0)
    with patch.object(FailingStore, "_some_days", lambda _store, _rows: []):
        load(store, messages)
    assert store.dead_letters == [4]
    assert problems(store, messages) == []
    assert sorted(store.rows.values()) == [1] * 6


@pytest.mark.parametrize(("row_bytes", "dead"), [(SLOW_BYTES - 1, False), (SLOW_BYTES, True)])
def test_a_slow_server_makes_no_dead_letter_of_a_small_message(row_bytes: int, dead: bool) -> None:
    parts, given_up = Mock(), list[str]()
    parts.stored_days.return_value = {}
    parts.insert_missing.side_effect = [TooExpensive("the insert took too long", own=True, in_time=True)] * 9 + [None]
    message = Mock(first_record_id=1, message=Mock(days=[20_000], row_bytes=row_bytes))
    splitter = Splitter(
        0, parts, lambda step: step(), lambda _, reason: given_up.append(reason), lambda _: None, lambda _: None
    )
    splitter.load([message], all_answered=True)
    reason = "the insert took too long; the message was inserted alone and failed 3 times"
    assert given_up == ([reason] if dead else [])
    assert parts.insert_missing.call_count == (3 if dead else 10)


def test_stored_rows_are_read_for_fewer_messages_if_that_takes_too_long() -> None:
    """Tests that a single message is read again, because only its stored rows say what must be inserted."""
    messages = [rows_on_days(offset, {20_000}) for offset in range(8)]
    read, inserted, reasons = list[int](), list[int](), list[str]()

    def stored_days(piece: Piece) -> dict[int, frozenset[int]]:
        read.append(len(piece))
        if len(piece) > 1 or len(read) == 3:
            raise TooExpensive("reading takes too long", own=True, in_time=True)
        return {}

    def persist(step: Callable[[], None]) -> None:
        try:
            step()
        except TooExpensive as error:
            reasons.append(error.detail)
            persist(step)

    parts = Mock()
    parts.stored_days = stored_days
    parts.insert_missing = lambda piece, _: inserted.extend(each.coordinates.offset for each in piece)
    Splitter(0, parts, persist, Mock(), Mock(), Mock()).load(messages, all_answered=True)
    assert inserted == list(range(8))
    assert read == [4, 2, 1, 1, 1, 2, 1, 1, 4, 2, 1, 1, 2, 1, 1]
    assert reasons == ["reading takes too long"]


def test_stored_rows_are_not_read_for_fewer_messages_while_the_server_lacks_memory() -> None:
    messages = tuple(rows_on_days(offset, {20_000}) for offset in range(2))
    parts = Mock()
    parts.stored_days.side_effect = TooExpensive("no memory left", own=False)
    with pytest.raises(TooExpensive):
        Splitter(0, parts, lambda step: step(), Mock(), Mock(), Mock())._stored(messages)
