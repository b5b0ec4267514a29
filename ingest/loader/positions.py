"""Reads from Kafka where partitions continue. A partition whose leader does not answer does not delay the others."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin._listoffsets import OffsetSpec

from ingest.committed.intent import ResumePosition, resume_position
from ingest.loader.topic_offsets import read_offsets
from kit.errors import Unavailable
from kit.settings import Settings
from schema.coordinates import UNKNOWN_EPOCH, LogPosition, TopicId
from schema.kafka_message import position_of
from schema.topic import TopicIdReader, admin

REQUEST_SECONDS: Final = 2.0
"""Longest wait for the answer to one request, in seconds. The polling thread waits for it, and the partitions that are
being loaded wait for the polling thread."""


@dataclass(frozen=True, slots=True)
class Start:
    """Position where a partition continues, and the position from which Kafka's client fetches it."""

    position: ResumePosition
    fetched_from: TopicPartition
    assigned_at: float
    """Time at which Kafka assigned the partition, in seconds of the monotonic clock. It may have waited since then."""

    @property
    def partition(self) -> int:
        return self.fetched_from.partition

    @property
    def has_predecessor(self) -> bool:
        """Returns whether a message with a known leader epoch precedes the position. Kafka may have replaced it."""
        return self.fetched_from.offset > 0 and position_of(self.fetched_from).leader_epoch != UNKNOWN_EPOCH


@dataclass(frozen=True, slots=True)
class Positions:
    """Starts of the partitions that Kafka answered for. `problems` has the reason for each other partition. `topic` is
    the topic's id; None if Kafka answered for no partition."""

    topic: TopicId | None = None
    starts: list[Start] = field(default_factory=list)
    problems: Mapping[int, str] = field(default_factory=dict)


class PositionReader:
    """Reads committed positions, ends of partitions and the topic's id. For use by one thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._topic_ids = TopicIdReader(settings, REQUEST_SECONDS)

    def read(self, consumer: Consumer, partitions: Mapping[int, float]) -> Positions:
        """Returns the positions of these partitions, which the consumer must own, given with the times of their
        assignments. Waits at most 3 * REQUEST_SECONDS.

        Raises Internal if a broker refuses to describe the topic.
        """
        asked = [TopicPartition(self._settings.kafka_topic, each) for each in sorted(partitions)]
        try:
            answers = consumer.committed(asked, timeout=REQUEST_SECONDS)
            problems = {each.partition: each.error.str() for each in answers if each.error is not None}
            committed = {each.partition: each for each in answers if each.error is None}
            latest: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]  # confluent-kafka has no types here
            client, topic = admin(self._settings), self._settings.kafka_topic
            ends, unanswered = read_offsets(client, topic, committed.keys(), latest, REQUEST_SECONDS)
            problems |= unanswered
            if not ends:
                return Positions(problems=problems)
            topic_id = self._topic_ids.read()
        except KafkaException as error:
            cause: KafkaError = error.args[0]
            return Positions(problems=dict.fromkeys(partitions, cause.str()))
        except Unavailable as error:
            return Positions(problems=dict.fromkeys(partitions, error.detail))
        starts = [_start(committed[each], end, topic_id, partitions[each]) for each, end in ends.items()]
        return Positions(topic_id, starts, problems)


def _start(committed: TopicPartition, end: LogPosition, topic: TopicId, assigned_at: float) -> Start:
    """Returns the start at the committed position. If that position is after the end of the partition, because Kafka
    has lost messages, the partition is fetched from its end: Kafka's client would begin at the first message instead.

    If the partition ends within an intended range, and its leader is later than that of the range, Kafka has lost the
    rest of the range.
    """
    position = resume_position(committed, topic)
    name, number = committed.topic, committed.partition
    if position.start is None:
        return Start(position, TopicPartition(name, number, OFFSET_BEGINNING), assigned_at)
    offset = min(position.start, end.offset)
    intended = position.intended
    if intended is not None and intended.leader_epoch is not None:
        is_lost = end.offset < intended.end and end.leader_epoch > intended.leader_epoch
        if is_lost:
            position = replace(position, intended=replace(intended, lost_from=end.offset))
    fetched_from = TopicPartition(name, number, offset, leader_epoch=position.start_epoch)
    return Start(position, fetched_from, assigned_at)
