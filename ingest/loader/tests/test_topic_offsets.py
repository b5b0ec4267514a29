"""Tests that a partition whose leader did not answer is a problem, and never has an invalid offset."""

from typing import cast

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec

from ingest.loader import loss
from ingest.loader.loss import read_low_watermarks
from ingest.loader.topic_offsets import read_offsets
from kit.settings import Settings
from schema.coordinates import UNKNOWN_EPOCH, LogPosition

ANSWERS: dict[int, int | KafkaError] = {0: 7, 1: KafkaError(KafkaError.LEADER_NOT_AVAILABLE), 2: -1001, 3: 0}


class Answer:
    """Fake of the future of an offset: an offset or an error."""

    def __init__(self, answer: int | KafkaError) -> None:
        self._answer = answer
        self.offset = answer
        self.leader_epoch = 3 if answer == 7 else None

    def exception(self) -> KafkaException | None:
        return KafkaException(self._answer) if isinstance(self._answer, KafkaError) else None

    def result(self) -> "Answer":
        return self


class Admin:
    def list_offsets(self, wanted: dict[TopicPartition, object], **_: float) -> dict[TopicPartition, Answer]:
        return {each: Answer(ANSWERS[each.partition]) for each in wanted}


def test_an_end_that_a_broker_did_not_say_is_a_problem() -> None:
    latest: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]  # confluent-kafka has no types here
    ends, problems = read_offsets(cast(AdminClient, Admin()), "logs", ANSWERS.keys(), latest, 2.0)
    assert ends == {0: LogPosition(7, 3), 3: LogPosition(0, UNKNOWN_EPOCH)}
    assert problems.keys() == {1, 2}


def test_a_first_offset_that_a_broker_did_not_say_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss, "admin", lambda _: Admin())
    assert read_low_watermarks(Settings(), ANSWERS.keys()) == {0: 7, 3: 0}
