"""Tests that cursors are read back unchanged, and only by the search that returned them."""

import base64
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.search.cursor import Cursor, read_cursor, require_same_range
from backend.store.order import Order
from backend.store.record_id import RecordId, parse_record_id
from backend.store.replicas.shown import Shown
from backend.store.scope import OpenRange, TimeRange
from kit.errors import InvalidCursor, NotFound

NS = st.integers(0, 2**63 - 2)
IDS = st.integers(0, 2**128 - 1)
CURSOR = Cursor("error", Order.desc, 7, TimeRange(1, 9), RecordId(5, 6))


@given(st.text(), st.sampled_from(Order), st.integers(0, 2**32 - 1), NS, NS, IDS)
def test_what_is_encoded_is_read_back(  # noqa: PLR0913, PLR0917 one argument a field
    query: str, order: Order, tenant_id: int, start: int, timestamp: int, row: int
) -> None:
    cursor = Cursor(query, order, tenant_id, TimeRange(start, start + 1), RecordId(timestamp, row))

    assert read_cursor(cursor.encode(), query, order, tenant_id) == cursor


@given(st.lists(st.integers(0, 255), min_size=1, max_size=9), st.lists(st.integers(0, 2**96 - 1), max_size=64))
def test_what_was_shown_is_read_back(replicas: list[int], messages: list[int]) -> None:
    cursor = replace(CURSOR, shown=Shown(tuple(replicas), tuple(messages)))

    assert read_cursor(cursor.encode(), "error", Order.desc, 7) == cursor


@pytest.mark.parametrize("length", [1, 2, 12, 14, 1 + 12 * 65])
def test_other_bytes_behind_a_cursor_are_refused(length: int) -> None:
    for version in (1, 2, 3):
        if (version, length) != (2, 1):
            with pytest.raises(InvalidCursor):
                read_cursor(with_behind(version, bytes(length)), "error", Order.desc, 7)


@pytest.mark.parametrize("behind", ["02 00", "02 00 01 00", "03 00 01"])
def test_replicas_of_fewer_shards_than_a_cursor_names_are_refused(behind: str) -> None:
    with pytest.raises(InvalidCursor):
        read_cursor(with_behind(3, bytes.fromhex(behind)), "error", Order.desc, 7)


def with_behind(version: int, behind: bytes) -> str:
    """Returns a cursor of this version with bytes behind its last row."""
    plain = base64.urlsafe_b64decode(CURSOR.encode() + "==")
    return base64.urlsafe_b64encode(bytes([version]) + plain[1:] + behind).decode()


@pytest.mark.parametrize(
    ("query", "order", "tenant_id"), [("errors", Order.desc, 7), ("error", Order.asc, 7), ("error", Order.desc, 8)]
)
def test_another_search_is_refused(query: str, order: Order, tenant_id: int) -> None:
    with pytest.raises(InvalidCursor):
        read_cursor(CURSOR.encode(), query, order, tenant_id)


def test_another_range_is_refused() -> None:
    require_same_range(CURSOR, OpenRange())
    require_same_range(CURSOR, OpenRange(1, 9))
    for start, end in ((2, 9), (1, 8), (None, 8), (2, None)):
        with pytest.raises(InvalidCursor):
            require_same_range(CURSOR, OpenRange(start, end))


@given(st.binary(max_size=60).map(lambda raw: base64.urlsafe_b64encode(raw).decode()) | st.text(max_size=100))
def test_no_text_gives_anything_but_a_cursor_or_an_error(text: str) -> None:
    with pytest.raises(InvalidCursor):
        read_cursor(text, "error", Order.desc, 7)


@given(NS, IDS, NS, IDS)
def test_record_ids_round_trip_and_sort_as_pages_do(one_ns: int, one: int, other_ns: int, other: int) -> None:
    left, right = RecordId(one_ns, one), RecordId(other_ns, other)

    assert parse_record_id(str(left)) == left
    assert (str(left) < str(right)) == (left < right)


@pytest.mark.parametrize("text", ["", "x" * 48, "0" * 47, "0" * 49, "f" * 48, "A" * 48, "0" * 47 + "\n"])
def test_what_is_no_id_is_not_found(text: str) -> None:
    with pytest.raises(NotFound):
        parse_record_id(text)
