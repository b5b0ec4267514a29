"""Reads the topic of a load test: waits until the loaders have caught up, and finds records."""

import time
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # the package has no list of what it exports
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from kit.clock import Clock
from kit.errors import Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from loadtest.comparison import KafkaRecord, Numbered
from loadtest.corpus.records import NUMBER
from schema.envelope import Envelope, Undecodable
from schema.kafka_message import headers_of
from schema.topic import admin

_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.25
_MESSAGES_AT_ONCE: Final = 500


def ends_of_topic(settings: Settings) -> Mapping[int, int]:
    """Returns the offset after the last message of each partition. Raises Unavailable if Kafka does not answer."""
    with _reading(settings) as consumer:
        return {
            place.partition: consumer.get_watermark_offsets(place, timeout=_SECONDS)[1]
            for place in _partitions(consumer, settings)
        }


def wait_until_loaded(settings: Settings, clock: Clock, seconds: float, ends: Mapping[int, int] | None = None) -> None:
    """Waits until the loaders have committed the offsets `ends`; without them, the end of each partition, which moves
    while records are sent.

    Raises Unavailable if they have not after `seconds`.
    """
    deadline = clock.monotonic() + seconds
    with _reading(settings) as consumer:
        while behind := _behind(consumer, settings, ends):
            if clock.monotonic() > deadline:
                raise Unavailable(f"the loader has not caught up after {seconds:g} s: {behind}")
            time.sleep(_POLL_SECONDS)


def keep_at_most(settings: Settings, partition_bytes: int) -> None:
    """Lets Kafka delete the oldest messages of each partition of the topic that has more than `partition_bytes`.

    Raises Unavailable if Kafka does not answer.
    """
    values = {"retention.bytes": partition_bytes, "segment.bytes": partition_bytes // 8}
    entries = [
        ConfigEntry(name, str(value), incremental_operation=AlterConfigOpType.SET) for name, value in values.items()
    ]
    resource = ConfigResource(ResourceType.TOPIC, settings.kafka_topic, incremental_configs=entries)
    with answering():
        admin(settings).incremental_alter_configs([resource])[resource].result(_SECONDS)


def find_in_topic(settings: Settings, wanted: Set[Numbered]) -> dict[Numbered, list[KafkaRecord]]:
    """Returns the places of all copies of these records. Reads the whole topic.

    Raises Unavailable if Kafka does not answer.
    """
    found: dict[Numbered, list[KafkaRecord]] = {}
    with _reading(settings) as consumer:
        for place in _partitions(consumer, settings):
            first, end = consumer.get_watermark_offsets(place, timeout=_SECONDS)
            consumer.assign([TopicPartition(place.topic, place.partition, first)])
            for message in _messages_before(end, consumer, place.partition):
                for index, record in enumerate(_records(message)):
                    if record is not None and record in wanted:
                        at = KafkaRecord(place.partition, message.offset() or 0, index)
                        found.setdefault(record, []).append(at)
    return found


def _messages_before(end: int, consumer: Consumer, partition: int) -> Iterator[Message]:
    """Yields the messages of the assigned partition before the offset `end`.

    Raises Unavailable if Kafka delivers nothing for `_SECONDS`.
    """
    while True:
        # `consume` waits until it has as many messages as requested, even if the partition has no more.
        first = consumer.poll(_SECONDS)
        if first is None:
            raise Unavailable(f"Kafka delivered nothing of partition {partition} for {_SECONDS:g} s")
        for message in (first, *consumer.consume(_MESSAGES_AT_ONCE, timeout=0)):
            failure = message.error()
            # The last offsets of a partition may belong to markers of transactions, which are not delivered.
            if failure is not None and failure.code() == KafkaError._PARTITION_EOF:
                return
            if failure is not None:
                raise Unavailable(f"Kafka could not deliver: {failure}")
            offset = message.offset() or 0
            if offset < end:
                yield message
            if offset + 1 >= end:
                return


def _behind(consumer: Consumer, settings: Settings, ends: Mapping[int, int] | None) -> str:
    """Returns a text about the partitions with messages that the loaders have not committed, empty if there are none.

    Only messages before the offsets `ends` count, if there are any.

    Returns the error's text if Kafka does not answer.
    """
    try:
        behind = []
        for place in consumer.committed(_partitions(consumer, settings), timeout=_SECONDS):
            first, end = consumer.get_watermark_offsets(place, timeout=_SECONDS)
            committed = first if place.offset < 0 else place.offset
            end = end if ends is None else ends[place.partition]
            if committed < end:
                behind.append(f"partition {place.partition} is at {committed} of {end}")
    except KafkaException as error:
        return str(error.args[0].str())
    return ", ".join(behind)


def _partitions(consumer: Consumer, settings: Settings) -> list[TopicPartition]:
    topic = settings.kafka_topic
    return [
        TopicPartition(topic, each) for each in consumer.list_topics(topic, timeout=_SECONDS).topics[topic].partitions
    ]


def _records(message: Message) -> list[Numbered | None]:
    """Returns each record of a message, or None for a record without a number. A message that loaders cannot decode has
    none."""
    request = ExportLogsServiceRequest()
    try:
        tenant_id = Envelope.from_headers(headers_of(message)).tenant_id
        request.ParseFromString(message.value() or b"")
    except (Undecodable, DecodeError):
        return []
    numbers = [
        next((each.value.int_value for each in record.attributes if each.key == NUMBER), None)
        for resource in request.resource_logs
        for scope in resource.scope_logs
        for record in scope.log_records
    ]
    return [None if number is None else Numbered(tenant_id, number) for number in numbers]


@contextmanager
def answering() -> Iterator[None]:
    """Raises Unavailable if Kafka does not answer within the block."""
    try:
        yield
    except KafkaException as error:
        raise Unavailable(f"Kafka did not answer: {error.args[0].str()}") from error


@contextmanager
def _reading(settings: Settings) -> Iterator[Consumer]:
    """Yields a consumer that can read the committed offsets of the loaders' group, and closes it after the block.

    It does not become a member of the group, because it never subscribes. Raises Unavailable if Kafka does not answer.
    """
    consumer = Consumer(
        {
            **kafka_connection(settings),
            "group.id": settings.consumer_group,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "log_level": 0,
        }
    )
    try:
        with answering():
            yield consumer
    finally:
        consumer.close()
