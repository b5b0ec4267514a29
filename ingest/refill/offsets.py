"""Reads and replaces the committed offsets of a replica's loaders. No loader may run meanwhile."""

from collections.abc import Sequence
from contextlib import closing
from typing import Final

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from ingest.committed.intent import OffsetRange, resume_position
from kit.errors import Conflict, Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.committed_offsets import CommittedOffsets, raise_first_error
from schema.coordinates import TopicId
from schema.kafka_message import position_of
from schema.topic import TopicIdReader, admin

REQUEST_SECONDS: Final = 10.0


class LoaderOffsets:
    """The committed offsets of the loaders of all replicas. Methods raise Unavailable if Kafka does not answer."""

    def __init__(self, settings: Settings) -> None:
        self._topic_name = settings.kafka_topic
        self._connection = {**kafka_connection(settings), "log_level": 0}
        self._client: AdminClient = admin(settings)
        self.topic: TopicId
        """Id of the topic of these offsets."""
        self.topic, self._partitions = TopicIdReader(settings).describe()

    def require_stopped(self, group: str, replica: int) -> None:
        """Raises Conflict if loaders of the group are running."""
        try:
            described = self._client.describe_consumer_groups([group], request_timeout=REQUEST_SECONDS)
            members = described[group].result().members
        except KafkaException as error:
            raise _unavailable(error) from error
        if members:
            raise Conflict(
                f"{len(members)} loaders of replica {replica} are running: stop them, then wait 10 s, until Kafka has "
                "removed them from their group"
            )

    def read(self, group: str) -> Sequence[TopicPartition]:
        """Returns the committed offsets of a group with their metadata."""
        try:
            with closing(CommittedOffsets(self._connection, group, self._topic_name)) as committed:
                return [each for each in committed.read(self._partitions, REQUEST_SECONDS) if each.offset >= 0]
        except KafkaException as error:
            raise _unavailable(error) from error

    def write(self, group: str, positions: Sequence[TopicPartition]) -> None:
        """Commits these offsets for a group without members. Raises Conflict if it has members, whose offsets Kafka
        does not change."""
        if not positions:
            return
        try:
            written = self._client.alter_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(group, list(positions))], request_timeout=REQUEST_SECONDS
            )
            raise_first_error(written[group].result().topic_partitions or [])
        except KafkaException as error:
            if error.args[0].code() == KafkaError.UNKNOWN_MEMBER_ID:
                raise Conflict(
                    "loaders were started before their offsets were written, so the copy is not used: stop them, and"
                    " run the command again"
                ) from error
            raise _unavailable(error) from error

    def for_copies(self, positions: Sequence[TopicPartition], lanes: frozenset[int]) -> list[TopicPartition]:
        """Returns the offsets from which the loaders of a copied replica start.

        `positions` are the committed offsets of the source, `lanes` are all lanes.
        """
        return [offset_for_copy(each, self.topic, lanes) for each in positions]


def offset_for_copy(committed: TopicPartition, topic: TopicId, lanes: frozenset[int]) -> TopicPartition:
    """Returns the offset to commit for a copy of the tables, from the committed offset of one partition. `lanes` are
    all lanes.

    If an insert was intended, some of its rows may be stored, and the copy does not remember the token of the insert.
    The returned metadata therefore makes the loader query the tables for the stored rows
    (docs/decisions/0018-what-an-insert-may-cost.md).
    """
    position = resume_position(committed, topic)
    metadata = (committed.metadata or "").rstrip("\0")
    intended = position.intended
    if position.start is not None and intended is not None:
        offsets = OffsetRange(committed.partition, position.start, intended.end, intended.leader_epoch)
        left = lanes - intended.inserted
        metadata = offsets.intent(topic, intended.shard, intended.inserted, left, intended.views_counted)
    return TopicPartition(
        committed.topic, committed.partition, committed.offset, metadata, position_of(committed).leader_epoch
    )


def from_the_start(former: Sequence[TopicPartition], copied: Sequence[TopicPartition]) -> list[TopicPartition]:
    """Returns the offset 0 for partitions that only the filled replica has read: `former` are its committed offsets,
    `copied` those of the source. The source has no rows of these partitions, so all their messages are loaded again."""
    known = {each.partition for each in copied}
    return [TopicPartition(each.topic, each.partition, 0) for each in former if each.partition not in known]


def require_unchanged(before: Sequence[TopicPartition], after: Sequence[TopicPartition], replica: int) -> None:
    """Raises Conflict if loaders of the replica committed offsets between these two readings.

    The copy may then have rows after the offsets of `before`. Loaders that continue there would store them again.
    """
    if _committed(before) != _committed(after):
        raise Conflict(
            f"loaders of replica {replica} ran during the copy, so the copy is not used: stop them, and run the command"
            " again"
        )


def _committed(positions: Sequence[TopicPartition]) -> set[tuple[int, int, str]]:
    # TopicPartition's own comparison ignores the offset.
    return {(each.partition, each.offset, each.metadata or "") for each in positions}


def _unavailable(error: KafkaException) -> Unavailable:
    return Unavailable(f"the offsets of the loaders could not be read from or written to Kafka: {error.args[0].str()}")
