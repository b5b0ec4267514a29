"""The offsets that a consumer group has committed, as Kafka's admin client reads them."""

from collections.abc import Iterable, Sequence

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient


def committed_offsets(client: AdminClient, group: str, topic: str, seconds: float) -> Sequence[TopicPartition]:
    """Returns the committed offset of each partition of the topic, with its metadata. Waits at most `seconds`.

    A partition without a committed offset is missing, or has a negative offset. Raises KafkaException, also if Kafka
    answers with an error for one of the partitions.
    """
    answers = client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)], request_timeout=seconds)
    found = [each for each in answers[group].result().topic_partitions or [] if each.topic == topic]
    raise_first_error(found)
    return found


def raise_first_error(positions: Iterable[TopicPartition]) -> None:
    """Raises KafkaException with the first error that Kafka has set on a partition. Its client raises none of them."""
    for each in positions:
        if each.error is not None:
            raise KafkaException(each.error)
