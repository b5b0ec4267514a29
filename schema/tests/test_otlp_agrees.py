"""Tests that native code and protobuf's own library read the same from any bytes."""

import pytest
from google.protobuf.message import DecodeError

from schema.coordinates import Coordinates
from schema.envelope import Envelope, Undecodable
from schema.log_columns import LogColumns
from schema.otlp import decode_message
from schema.tests.otlp_messages import Messages
from schema.tests.otlp_oracle import expected_rows
from tests.chance import SEED, repetitions

_MESSAGES = repetitions(2_000)


def _decoded(raw: bytes, envelope: Envelope, coordinates: Coordinates) -> LogColumns | None:
    try:
        return decode_message(raw, envelope, coordinates)
    except Undecodable:
        return None


def _expected(raw: bytes, envelope: Envelope, coordinates: Coordinates) -> LogColumns | None:
    try:
        return expected_rows(raw, envelope, coordinates)
    except DecodeError:
        return None


def _in_order(columns: LogColumns | None) -> list[list[object]]:
    """Maps as lists, which differ where their entries come in another order."""
    lists = [] if columns is None else columns.lists()
    return [[list(each.items()) if isinstance(each, dict) else each for each in column] for column in lists]


@pytest.mark.parametrize("seed", [f"{SEED} {number}" for number in range(3)])
def test_rows_are_those_of_the_library_and_what_it_refuses_is_refused(seed: str) -> None:
    messages, refused = Messages(seed), 0
    for number in range(_MESSAGES):
        raw = messages.any()
        envelope = Envelope(number % 5, 0, "r30", (0, 1, 5, 16, 4096)[number % 5], 1_700_000_000_000_000_000)
        found, expected = (read(raw, envelope, Coordinates(3, 1, number)) for read in (_decoded, _expected))
        assert (found is None) == (expected is None), (seed, number, raw.hex())
        assert _in_order(found) == _in_order(expected), (seed, number, raw.hex())
        refused += found is None
    # If all or none were valid, nothing was compared.
    assert _MESSAGES * 0.1 < refused < _MESSAGES * 0.7


@pytest.mark.parametrize("seed", [f"{SEED} {number}" for number in range(3)])
def test_pieces_of_values_at_all_levels_are_merged_as_the_library_merges_them(seed: str) -> None:
    messages, envelope = Messages(seed), Envelope(1, 0, "r30", 4096, 1_700_000_000_000_000_000)
    for number in range(repetitions(250)):
        raw, coordinates = messages.pieces_in_pieces(), Coordinates(3, 1, number)
        found = _in_order(decode_message(raw, envelope, coordinates))
        assert found == _in_order(expected_rows(raw, envelope, coordinates)), (seed, number, raw.hex())
