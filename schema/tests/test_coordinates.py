from hypothesis import given
from hypothesis import strategies as st

from schema.coordinates import Coordinates, TopicId

positions = st.tuples(st.integers(0, 2**16 - 1), st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 1))


def record_id(epoch: int, position: tuple[int, int, int]) -> int:
    partition, offset, index = position
    return Coordinates(epoch, partition, offset).first_record_id + index


@given(st.integers(0, 2**16 - 1), positions, positions)
def test_ids_order_as_positions_do_and_fit_128_bits(
    epoch: int, left: tuple[int, int, int], right: tuple[int, int, int]
) -> None:
    assert (record_id(epoch, left) < record_id(epoch, right)) == (left < right)
    assert record_id(epoch, left) < 2**128


def test_an_id_is_laid_out_as_documented() -> None:
    assert record_id(0x1234, (0x0007, 0x0000000000000309, 0x0A)) == 0x1234_0007_0000000000000309_0000000A


def test_topic_ids_come_from_signed_halves() -> None:
    assert TopicId.from_halves(-1, 2).text == "f" * 16 + "0" * 15 + "2"


def test_a_topic_made_anew_has_another_epoch() -> None:
    old, new = TopicId.from_halves(1, 2), TopicId.from_halves(1, 3)
    assert old.epoch != new.epoch
    assert 0 <= old.epoch < 2**16
    assert old.epoch == TopicId(old.text).epoch
