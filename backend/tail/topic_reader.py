"""A Kafka consumer for tails: partitions are assigned by hand, no offset is committed, no group is joined."""

import logging
from collections.abc import Callable, Iterable, Mapping

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from kit.errors import Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.topic import TopicIdReader

REQUEST_SECONDS = 3.0
"""Longest time, in seconds, that a tail's request to Kafka waits for the answer."""

MESSAGES_AT_ONCE = 200


class TopicReader:
    """A consumer. Its methods must not be called concurrently."""

    def __init__(self, settings: Settings, on_error: Callable[[KafkaError], None], reports_ends: bool = False) -> None:
        """With `reports_ends`, `read` returns the error _PARTITION_EOF each time it reaches the end of a partition."""
        self._topic = settings.kafka_topic
        config = _config(settings) | {"error_cb": on_error, "enable.partition.eof": reports_ends}
        self._consumer = Consumer(config, logger=logging.getLogger("librdkafka"))

    def partitions(self) -> int:
        """Returns the number of partitions of the topic. Raises Unavailable."""
        try:
            topic = self._consumer.list_topics(self._topic, timeout=REQUEST_SECONDS).topics[self._topic]
        except KafkaException as error:
            raise _unreachable(error) from error
        if topic.error is not None or not topic.partitions:
            raise Unavailable(
                f"Kafka does not have the topic {self._topic}: {topic.error}. `logsieve migrate` creates it."
            )
        return len(topic.partitions)

    def ends(self, partitions: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Returns the first offset and the end offset of each partition. Raises Unavailable."""
        found = dict[int, tuple[int, int]]()
        for each in partitions:
            try:
                ends = self._consumer.get_watermark_offsets(self._at(each), timeout=REQUEST_SECONDS)
            except KafkaException as error:
                raise _unreachable(error) from error
            if ends is None:
                # The other partitions are not asked for, because each of them could take as long.
                raise Unavailable(f"Kafka did not answer within {REQUEST_SECONDS:g} s: connect again")
            found[each] = ends
        return found

    def offsets_at(self, time_ms: Mapping[int, int]) -> dict[int, int]:
        """Returns for each partition the first offset at that time or later; negative for none. Raises Unavailable."""
        requested = [self._at(partition, max(0, time)) for partition, time in time_ms.items()]
        try:
            found = self._consumer.offsets_for_times(requested, REQUEST_SECONDS)
        except KafkaException as error:
            raise _unreachable(error) from error
        # A broker that elects leaders refuses single partitions, and their offsets are then negative too.
        if (refused := next((each.error for each in found if each.error is not None), None)) is not None:
            raise unreachable(refused.str())
        return {each.partition: each.offset for each in found}

    def assign(self, offsets: Mapping[int, int]) -> None:
        """Sets the partitions to read from now on, each with its first offset."""
        self._consumer.assign([self._at(partition, offset) for partition, offset in offsets.items()])

    def read(self, seconds: float) -> list[Message]:
        """Returns messages and errors. Waits at most `seconds` for the first, and not for the others."""
        first = self._consumer.poll(seconds)
        return [] if first is None else [first, *self._consumer.consume(MESSAGES_AT_ONCE, timeout=0)]

    def close(self) -> None:
        self._consumer.close()

    def _at(self, partition: int, offset: int = 0) -> TopicPartition:
        return TopicPartition(self._topic, partition, offset)


def topic_id(reader: TopicIdReader) -> TopicId:
    """Returns the topic's present id. Raises Unavailable with a text for the user of a tail."""
    try:
        return reader.read()
    except Unavailable as error:
        raise Unavailable(
            f"Live tails need the id of the topic: {error.detail}. Connect again when Kafka answers and has the topic."
        ) from error


def unreachable(reason: str) -> Unavailable:
    """Returns the error for a tail for which Kafka did not answer. `reason` is the text of Kafka's error."""
    return Unavailable(f"Kafka does not answer: {reason}. Connect again: tails work when Kafka is back")


def _unreachable(error: KafkaException) -> Unavailable:
    cause: KafkaError = error.args[0]
    return unreachable(cause.str())


def _config(settings: Settings) -> dict[str, str | int | bool]:
    return {
        **kafka_connection(settings),
        # librdkafka requires it, but nothing is ever subscribed to or committed.
        "group.id": "logsieve-tail",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        # Deleted offsets come back as an error, so that no record is left out silently.
        "auto.offset.reset": "error",
        "fetch.wait.max.ms": 100,
        "reconnect.backoff.ms": 200,
        "reconnect.backoff.max.ms": 1_000,
        "queued.max.messages.kbytes": 32 * 1024,
    }
