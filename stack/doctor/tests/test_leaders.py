"""Tests the doctor's findings about Kafka while some partitions have no leader that answers."""

from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin._listoffsets import EarliestSpec, OffsetSpec

from kit.settings import Settings
from schema import committed_offsets
from stack.doctor import kafka
from stack.doctor.finding import Finding, Level
from stack.doctor.kafka import kafka_findings

TOPIC = Settings().kafka_topic
INVALID = -1001
"""Offset that librdkafka returns for the partitions of a broker that did not answer."""


class Answer:
    """Fake of the future of an answer of Kafka."""

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def exception(self) -> Exception | None:
        return self._answer if isinstance(self._answer, Exception) else None

    def result(self) -> object:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


class Admin:
    """Fake of an admin client of three brokers. `ends` has the end of each partition, or the error of its leader."""

    def __init__(self, ends: dict[int, int | KafkaException]) -> None:
        self._ends = ends

    def list_topics(self, *_: object, **__: object) -> SimpleNamespace:
        place = SimpleNamespace(replicas=[1, 2, 3], isrs=[1, 2])
        return SimpleNamespace(topics={TOPIC: SimpleNamespace(error=None, partitions=dict.fromkeys(self._ends, place))})

    def list_offsets(self, wanted: dict[TopicPartition, OffsetSpec], **_: object) -> dict[TopicPartition, Answer]:
        answers = {}
        for each, which in wanted.items():
            end = self._ends[each.partition]
            if isinstance(end, Exception):
                answers[each] = Answer(end)
            else:
                is_first = isinstance(which, EarliestSpec) and end >= 0
                answers[each] = Answer(SimpleNamespace(offset=0 if is_first else end, leader_epoch=None))
        return answers

    def poll(self, *_: object) -> None:
        pass


class Committed:
    """Fake of a consumer in whose group one offset is committed in each partition, or the error of the coordinator."""

    def __init__(self, answer: int | KafkaException) -> None:
        self._answer = answer

    def committed(self, wanted: list[TopicPartition], **_: object) -> list[TopicPartition]:
        if isinstance(self._answer, Exception):
            raise self._answer
        return [TopicPartition(each.topic, each.partition, self._answer) for each in wanted]

    def close(self) -> None:
        pass


def findings(
    monkeypatch: pytest.MonkeyPatch, ends: dict[int, int | KafkaException], committed: int | KafkaException = 10
) -> dict[str, Finding]:
    monkeypatch.setattr(kafka, "AdminClient", lambda *_, **__: Admin(ends))
    monkeypatch.setattr(committed_offsets, "Consumer", lambda *_, **__: Committed(committed))
    return {each.about: each for each in kafka_findings(Settings())}


@pytest.mark.parametrize("unanswered", [INVALID, KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE))])
def test_a_partition_without_an_answer_is_a_finding_beside_the_replicas_and_the_lag_of_the_others(
    monkeypatch: pytest.MonkeyPatch, unanswered: int | KafkaException
) -> None:
    found = findings(monkeypatch, {0: 12, 1: unanswered, 2: 11})

    assert {about: each.level for about, each in found.items()} == {
        "kafka": Level.ok,
        "replicas in Kafka": Level.warn,
        "leaders in Kafka": Level.fail,
        "loaders' lag": Level.ok,
    }
    assert found["leaders in Kafka"].seen.startswith("1 of 3 partitions did not answer")
    assert "partition 1: " in found["leaders in Kafka"].seen
    assert found["loaders' lag"].seen == "3 messages in Kafka are not loaded, most in partition 0"


def test_leaders_that_answer_are_ok(monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(monkeypatch, {0: 7, 1: 8})

    assert found["leaders in Kafka"].level is Level.ok
    assert found["loaders' lag"].level is Level.ok


def test_no_lag_is_reported_if_no_leader_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(monkeypatch, {0: INVALID, 1: INVALID})

    assert found["leaders in Kafka"].level is Level.fail
    assert "loaders' lag" not in found


def test_a_coordinator_that_hangs_leaves_the_findings_about_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(monkeypatch, {0: 7}, KafkaException(KafkaError(KafkaError._TIMED_OUT)))

    assert (found["leaders in Kafka"].level, found["loaders' lag"].level) == (Level.ok, Level.fail)
    assert "cannot be read" in found["loaders' lag"].seen
