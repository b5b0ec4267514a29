"""The offsets that a consumer group has committed, as Kafka's admin client reads them."""

from collections.abc import Sequence

from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient


def committed_offsets(client: AdminClient, group: str, topic: str, seconds: float) -> Sequence[TopicPartition]:
    """Returns the committed offset of each partition of the topic, with its metadata. Waits at most `seconds`.

    A partition without a committed offset is missing, or has a negative offset. Raises KafkaException.
    """
    answers = client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)], request_timeout=seconds)
    return [each for each in answers[group].result().topic_partitions or [] if each.topic == topic]
