from hypothesis import given
from hypothesis import strategies as st

from schema.coordinates import UNKNOWN_EPOCH, Coordinates, TopicId, offset_of, partition_of

positions = st.tuples(
    st.integers(0, 2**16 - 1), st.integers(0, 2**16 - 1), st.integers(0, 2**48 - 1), st.integers(0, 2**32 - 1)
)


def record_id(topic_epoch: int, position: tuple[int, int, int, int]) -> int:
    partition, leader_epoch, offset, index = position
    return Coordinates(topic_epoch, partition, offset, leader_epoch).first_record_id + index


@given(st.integers(0, 2**16 - 1), positions, positions)
def test_ids_order_as_positions_do_and_fit_128_bits(
    epoch: int, left: tuple[int, int, int, int], right: tuple[int, int, int, int]
) -> None:
    assert (record_id(epoch, left) < record_id(epoch, right)) == (left < right)
    assert record_id(epoch, left) < 2**128
    assert (partition_of(record_id(epoch, left)), offset_of(record_id(epoch, left))) == (left[0], left[2])


def test_an_id_is_laid_out_as_documented() -> None:
    assert record_id(0x1234, (0x0007, 0x0005, 0x000000000309, 0x0A)) == 0x1234_0007_0005_000000000309_0000000A


def test_ids_of_messages_without_a_leader_epoch_are_those_of_earlier_releases() -> None:
    assert Coordinates(0x1234, 7, 0x309, UNKNOWN_EPOCH).first_record_id == 0x1234_0007_0000000000000309_00000000


def test_more_elections_than_ids_can_count_leave_the_other_parts_as_they_are() -> None:
    assert record_id(0x1234, (7, 2**16 + 5, 9, 0)) == record_id(0x1234, (7, 5, 9, 0))


def test_topic_ids_come_from_signed_halves() -> None:
    assert TopicId.from_halves(-1, 2).text == "f" * 16 + "0" * 15 + "2"


def test_a_topic_made_anew_has_another_epoch() -> None:
    old, new = TopicId.from_halves(1, 2), TopicId.from_halves(1, 3)
    assert old.epoch != new.epoch
    assert 0 <= old.epoch < 2**16
    assert old.epoch == TopicId(old.text).epoch
