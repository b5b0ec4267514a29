import pytest

from ingest.loader.intent import OffsetRange, promised_end
from schema.coordinates import TopicId

TOPIC = TopicId("0123456789abcdef" * 2)
OTHER = TopicId("fedcba9876543210" * 2)
OFFSETS = OffsetRange(partition=3, start=10, end=25)


def test_a_promise_reads_back() -> None:
    assert promised_end(OFFSETS.intent(TOPIC), TOPIC, 10) == 25


def test_a_trailing_nul_is_not_part_of_it() -> None:
    assert promised_end(OFFSETS.intent(TOPIC) + "\0", TOPIC, 10) == 25


def test_a_promise_about_an_older_topic_is_void() -> None:
    assert promised_end(OFFSETS.intent(TOPIC), OTHER, 10) is None


@pytest.mark.parametrize("metadata", [None, "", "\0", "intent/2/x/5", "25", "intent/1/" + TOPIC.text + "/x"])
def test_other_metadata_promises_nothing(metadata: str | None) -> None:
    assert promised_end(metadata, TOPIC, 10) is None


def test_a_promise_that_ends_where_it_starts_is_none() -> None:
    assert promised_end(OFFSETS.intent(TOPIC), TOPIC, 25) is None


def test_tokens_differ_by_topic_partition_range_and_lane() -> None:
    tokens = {
        OFFSETS.token(TOPIC, 0),
        OFFSETS.token(TOPIC, 1),
        OFFSETS.token(OTHER, 0),
        OffsetRange(4, 10, 25).token(TOPIC, 0),
        OffsetRange(3, 10, 26).token(TOPIC, 0),
    }
    assert len(tokens) == 5
