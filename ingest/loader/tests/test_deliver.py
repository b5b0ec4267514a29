from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from ingest.loader.batch import Batch
from ingest.loader.deliver import Abandoned, Deliverer
from ingest.loader.intent import OffsetRange
from ingest.loader.tests.rows import some_rows
from kit.errors import Internal, Unavailable
from schema.coordinates import TopicId
from schema.log_columns import LogColumns

TOPIC = TopicId("0123456789abcdef" * 2)
OFFSETS = OffsetRange(partition=1, start=5, end=9)


@dataclass
class Journal:
    """Kafka and ClickHouse in one: writes down what is asked, and fails as often as told."""

    failures: list[Exception] = field(default_factory=list)
    steps: list[tuple[object, ...]] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    problems: list[str | None] = field(default_factory=list)
    topic: TopicId = TOPIC

    def commit(self, partition: int, offset: int, metadata: str) -> None:
        self._do("commit", partition, offset, metadata)

    def insert(self, lane: int, columns: LogColumns, token: str) -> None:
        self._do("insert", lane, len(columns), token)

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)

    def _do(self, *step: object) -> None:
        self.steps.append(step)
        if self.failures:
            raise self.failures.pop(0)


def batch(*lanes: int) -> Batch:
    return Batch(OFFSETS, {lane: some_rows(1) for lane in lanes}, None)


def deliver(journal: Journal, of: Batch, ours: Callable[[], bool] = lambda: True) -> None:
    deliverer = Deliverer(journal, journal, journal.wait, journal.problems.append)
    deliverer.deliver(of, ours)


INTENT = ("commit", 1, 5, OFFSETS.intent(TOPIC))
DONE = ("commit", 1, 9, "")


def test_promise_then_lanes_in_order_then_commit() -> None:
    journal = Journal()
    deliver(journal, batch(3, 0))
    assert journal.steps == [
        INTENT,
        ("insert", 0, 1, OFFSETS.token(TOPIC, 0)),
        ("insert", 3, 1, OFFSETS.token(TOPIC, 3)),
        DONE,
    ]


def test_a_batch_without_rows_still_moves_the_offset() -> None:
    journal = Journal()
    deliver(journal, batch())
    assert journal.steps == [INTENT, DONE]


@pytest.mark.parametrize("error", [Unavailable("away"), Internal("refused")])
def test_each_step_is_repeated_until_it_succeeds(error: Exception) -> None:
    journal = Journal(failures=[error] * 8)
    deliver(journal, batch(0))
    assert journal.steps == [INTENT] * 9 + [("insert", 0, 1, OFFSETS.token(TOPIC, 0)), DONE]
    assert journal.waited == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_a_batch_that_is_no_longer_ours_is_left_to_the_next_owner() -> None:
    journal = Journal(failures=[Unavailable("away")])
    with pytest.raises(Abandoned):
        deliver(journal, batch(0), lambda: not journal.waited)
    assert journal.steps == [INTENT]


def test_the_problem_can_be_seen_while_it_lasts() -> None:
    journal = Journal(failures=[Unavailable("the log store cannot be reached")])
    deliver(journal, batch())
    assert journal.problems == ["the log store cannot be reached", None, None]
