"""Tests that the comparison finds acknowledged records that are missing, and doubled and foreign records."""

from collections import Counter

from loadtest.comparison import Difference, KafkaRecord, Numbered, Sent, compare, count
from schema.coordinates import Coordinates

SENT = {1: Sent([range(0, 3), range(10, 12)], [range(3, 6)]), 2: Sent([range(100, 102)])}


def stored(one: str, two: str) -> dict[int, Counter[int]]:
    """Returns the counted numbers of the rows of tenants 1 and 2, given as texts."""
    return {1: Counter(map(int, one.split())), 2: Counter(map(int, two.split()))}


def test_uncertain_records_may_be_there_or_not() -> None:
    difference = compare(SENT, stored("0 1 2 10 11 4", "100 101"))
    assert difference == Difference((), (), (), uncertain_stored=1)


def test_an_acknowledged_record_that_is_missing_is_lost() -> None:
    difference = compare(SENT, stored("0 2 10 11", "100"))
    assert difference.lost == (Numbered(1, 1), Numbered(2, 101))


def test_a_tenant_without_any_row_lost_everything() -> None:
    assert compare(SENT, {1: stored("0 1 2 10 11", "")[1]}).lost == (Numbered(2, 100), Numbered(2, 101))


def test_twice_is_doubled_for_acknowledged_and_uncertain_alike() -> None:
    difference = compare(SENT, stored("0 1 2 10 11 1 5 5 5", "100 101"))
    assert difference.doubled == (Numbered(1, 1), Numbered(1, 5))
    assert difference.lost == ()


def test_a_record_at_another_tenant_is_lost_here_and_foreign_there() -> None:
    difference = compare(SENT, stored("0 1 2 10", "100 101 11"))
    assert difference.lost == (Numbered(1, 11),)
    assert difference.foreign == (Numbered(2, 11),)


def test_merging_and_counting() -> None:
    both = SENT[1].merged(SENT[2])
    assert (count(both.acknowledged), count(both.uncertain)) == (7, 3)


def test_record_ids_lead_back_to_kafka() -> None:
    first = Coordinates(topic_epoch=0xABCD, partition=3, offset=2**40 + 7).first_record_id
    assert KafkaRecord.of(first + 12) == KafkaRecord(partition=3, offset=2**40 + 7, index=12)
