"""Asks the leaders of partitions for their first or last offsets, and says which leaders did not answer."""

from collections.abc import Collection

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec

from schema.coordinates import UNKNOWN_EPOCH, LogPosition


def read_offsets(
    client: AdminClient, topic: str, partitions: Collection[int], which: OffsetSpec, seconds: float
) -> tuple[dict[int, LogPosition], dict[int, str]]:
    """Returns the offset of each partition whose leader answers within `seconds`, and for each other partition the
    reason. The leader epoch of a last offset is that of the leader that answered.

    All leaders are asked at the same time. If a client knows of no leader for a partition, it reports that without
    looking for a leader again, so use a new client then.
    """
    if not partitions:
        return {}, {}
    wanted = {TopicPartition(topic, each): which for each in partitions}
    offsets: dict[int, LogPosition] = {}
    problems: dict[int, str] = {}
    for place, answer in client.list_offsets(wanted, request_timeout=seconds).items():
        failure = answer.exception()
        if isinstance(failure, KafkaException):
            problems[place.partition] = failure.args[0].str()
        # librdkafka gives an invalid offset, and no error, for the partitions of a broker that did not answer.
        elif (found := answer.result()).offset < 0:
            problems[place.partition] = "the leader does not answer"
        else:
            epoch = UNKNOWN_EPOCH if found.leader_epoch is None else found.leader_epoch
            offsets[place.partition] = LogPosition(found.offset, epoch)
    return offsets, problems
