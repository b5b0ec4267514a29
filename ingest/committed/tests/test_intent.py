import pytest

from ingest.committed.intent import IntendedRange, OffsetRange, ResumePosition, done
from schema.coordinates import LogPosition, TopicId

TOPIC = TopicId("0123456789abcdef" * 2)
OTHER = TopicId("fedcba9876543210" * 2)
OFFSETS = OffsetRange(partition=3, start=10, end=25, leader_epoch=6)
OF_EARLIER_RELEASE = OffsetRange(partition=3, start=10, end=25)


def read(offset: int, metadata: str | None, topic: TopicId) -> ResumePosition:
    return ResumePosition.read(LogPosition(offset, 5), metadata, topic)


def test_an_intent_reads_back() -> None:
    assert read(10, OFFSETS.intent(TOPIC, 0), TOPIC) == ResumePosition(10, 5, IntendedRange(25, 6))


@pytest.mark.parametrize("lanes", [{0}, {3, 0}, {999, 17}])
def test_lanes_that_are_in_read_back(lanes: set[int]) -> None:
    metadata = OFFSETS.intent(TOPIC, 0, frozenset(lanes))
    assert read(10, metadata, TOPIC) == ResumePosition(10, 5, IntendedRange(25, 6, inserted=frozenset(lanes)))
    assert len(metadata) < 4095, "the most that Kafka takes"


@pytest.mark.parametrize("lanes", [set(), {3, 0}])
def test_the_intended_shard_reads_back(lanes: set[int]) -> None:
    metadata = OFFSETS.intent(TOPIC, 12, frozenset(lanes))
    assert read(10, metadata, TOPIC) == ResumePosition(10, 5, IntendedRange(25, 6, 12, frozenset(lanes)))


@pytest.mark.parametrize("inserted", [set(), {3, 0}])
@pytest.mark.parametrize("split", [{0}, {999, 17}])
def test_lanes_that_are_split_read_back(inserted: set[int], split: set[int]) -> None:
    metadata = OFFSETS.intent(TOPIC, 12, frozenset(inserted), frozenset(split))
    assert read(10, metadata, TOPIC) == ResumePosition(
        10, 5, IntendedRange(25, 6, 12, frozenset(inserted), frozenset(split))
    )
    assert len(metadata) < 4095, "the most that Kafka takes"


@pytest.mark.parametrize("shard", [0, 7, 12])
@pytest.mark.parametrize("lanes", [set(), {3, 0}])
def test_an_intent_of_a_loader_whose_views_counted_reads_back_and_stays_one(shard: int, lanes: set[int]) -> None:
    earlier = f"intent/1/{TOPIC.text}/25" + (f"@{shard}" if shard else "") + ("/9!2" if lanes else "")
    inserted, split = (frozenset(lanes), frozenset({1})) if lanes else (frozenset(), frozenset())
    intended = IntendedRange(25, None, shard, inserted, split, views_counted=True)
    assert read(10, earlier, TOPIC) == ResumePosition(10, 5, intended)
    assert OF_EARLIER_RELEASE.intent(TOPIC, shard, inserted, split, views_counted=True) == earlier


def test_a_finished_batch_is_no_intent() -> None:
    assert read(25, done(TOPIC), TOPIC) == ResumePosition(25, start_epoch=5)


def test_a_trailing_nul_is_not_part_of_it() -> None:
    assert read(10, OFFSETS.intent(TOPIC, 0) + "\0", TOPIC) == ResumePosition(10, 5, IntendedRange(25, 6))


@pytest.mark.parametrize("metadata", [OFFSETS.intent(TOPIC, 0), done(TOPIC) + "\0"])
def test_offsets_of_an_older_topic_are_void(metadata: str) -> None:
    assert read(10, metadata, OTHER) == ResumePosition(None)


@pytest.mark.parametrize("metadata", [None, "", "\0", "intent/3/x/5", "25", "intent/1/" + TOPIC.text + "/x"])
def test_other_metadata_is_no_intent(metadata: str | None) -> None:
    assert read(10, metadata, TOPIC) == ResumePosition(10, start_epoch=5)


def test_where_nothing_is_committed_the_first_message_comes_first() -> None:
    assert read(-1001, "", TOPIC) == ResumePosition(None)


def test_an_intent_that_ends_where_it_starts_is_none() -> None:
    assert read(25, OFFSETS.intent(TOPIC, 0), TOPIC) == ResumePosition(25, start_epoch=5)


def test_tokens_differ_by_topic_partition_range_and_lane() -> None:
    tokens = {
        OFFSETS.token(TOPIC, 0),
        OFFSETS.token(TOPIC, 1),
        OFFSETS.token(OTHER, 0),
        OffsetRange(4, 10, 25).token(TOPIC, 0),
        OffsetRange(3, 10, 26).token(TOPIC, 0),
        OFFSETS.usage_token(TOPIC),
        OFFSETS.counts_token(TOPIC, 0),
        OFFSETS.counts_token(TOPIC, 1),
    }
    assert len(tokens) == 8


@pytest.mark.parametrize("metadata", [OF_EARLIER_RELEASE.intent(TOPIC, 2), f"intent/1/{TOPIC.text}/25@0002"])
def test_an_intent_of_a_loader_that_knew_no_leader_epochs_reads_back_and_stays_one(metadata: str) -> None:
    assert read(10, metadata, TOPIC) == ResumePosition(10, 5, IntendedRange(25, shard=2))
    assert OF_EARLIER_RELEASE.token(TOPIC, 0) == f"{TOPIC.text}/3/10-25/0"
