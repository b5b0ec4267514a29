from collections.abc import Collection, Iterator

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from ingest.loader.loss import LossWatch


class Watermarks:
    """Kafka's low watermarks by partition, and the number of requests for them."""

    def __init__(self, **low: int) -> None:
        self.low = {int(partition.removeprefix("p")): offset for partition, offset in low.items()}
        self.requested = 0

    def __call__(self, partitions: Collection[int]) -> dict[int, int]:
        self.requested += 1
        return {partition: self.low[partition] for partition in partitions if partition in self.low}


@pytest.fixture
def lines() -> Iterator[list[EventDict]]:
    with capture_logs() as captured:
        yield captured


def lost(lines: list[EventDict]) -> list[tuple[int, int, int, int]]:
    return [
        (line["partition"], line["expected"], line["first_kept"], line["messages"])
        for line in lines
        if line["log_level"] == "error"
    ]


def test_deletions_before_the_assignment_are_reported_once(lines: list[EventDict]) -> None:
    watch = LossWatch(Watermarks(p0=110, p1=90, p2=1000))
    watch.assigned({0: 100, 1: 100, 2: None})
    assert lost(lines) == [(0, 100, 110, 10)]
    watch.received(0, 110)
    watch.received(1, 100)
    watch.received(2, 1000)
    assert lost(lines) == [(0, 100, 110, 10)]


def test_deletions_during_the_assignment_are_reported_too(lines: list[EventDict]) -> None:
    watermarks = Watermarks(p0=0)
    watch = LossWatch(watermarks)
    watch.assigned({0: 5})
    watch.received(0, 5)
    watermarks.low[0] = 20
    watch.received(0, 22)
    watch.received(0, 23)
    assert lost(lines) == [(0, 6, 20, 14)]


def test_messages_that_were_delivered_are_not_lost(lines: list[EventDict]) -> None:
    """Kafka may have deleted further messages before it answers."""
    watermarks = Watermarks(p0=0)
    watch = LossWatch(watermarks)
    watch.assigned({0: 5})
    watermarks.low[0] = 50
    watch.received(0, 10)
    assert lost(lines) == [(0, 5, 10, 5)]


def test_transactions_leave_gaps_without_a_loss(lines: list[EventDict]) -> None:
    watermarks = Watermarks(p0=0, p1=8)
    watch = LossWatch(watermarks)
    watch.assigned({0: 5, 1: 7})
    assert watermarks.requested == 1
    watch.received(0, 6)
    assert watermarks.requested == 1
    watch.received(0, 60)
    assert watermarks.requested == 2
    assert lines == []


def test_without_an_answer_the_first_message_shows_it(lines: list[EventDict]) -> None:
    watermarks = Watermarks()
    watch = LossWatch(watermarks)
    watch.assigned({0: 5})
    watermarks.low[0] = 9
    watch.received(0, 9)
    assert lost(lines) == [(0, 5, 9, 4)]


def test_a_gap_that_nobody_explains_is_a_warning(lines: list[EventDict]) -> None:
    watch = LossWatch(Watermarks())
    watch.assigned({0: 5})
    watch.received(0, 9)
    assert [(line["log_level"], line["start"], line["end"]) for line in lines] == [("warning", 5, 9)]


def test_a_topic_that_starts_anew_loses_nothing(lines: list[EventDict]) -> None:
    watch = LossWatch(Watermarks(p0=0))
    watch.assigned({0: 500})
    watch.received(0, 0)
    watch.received(0, 1)
    assert lost(lines) == []


def test_a_partition_that_lost_loaded_messages_is_reported_once(lines: list[EventDict]) -> None:
    watch = LossWatch(Watermarks(p0=3))
    watch.assigned({0: 11})
    for offset in (3, 4, 5):
        watch.received(0, offset)
    (line,) = lines
    assert (line["log_level"], line["expected"], line["first_kept"]) == ("warning", 11, 3)
    assert "has lost messages" in line["event"]
