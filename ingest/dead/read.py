"""Reads the dead-letter topic from its beginning to its present end."""

import logging
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from kit.errors import NotFound, Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.dead_letter import DeadLetter, NotALetter, Origin, replayed_origin
from schema.kafka_message import headers_of

log = logging.getLogger("librdkafka")

_NO_ENDS: Final[Mapping[int, int]] = MappingProxyType({})

_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class StoredLetter:
    """A letter in the topic. `at_ms` is the time at which it was written, in milliseconds since the Unix epoch."""

    letter: DeadLetter
    at_ms: int


@dataclass(frozen=True, slots=True)
class Replayed:
    """A marker: the letter with this origin was replayed."""

    origin: Origin
    at_ms: int


def read_dead_topic(settings: Settings) -> Iterator[StoredLetter | Replayed]:
    """Yields the dead letters and markers of the dead-letter topic, oldest first, including repeated ones.

    Leaves out messages that Logsieve did not write. Raises Unavailable when Kafka does not answer or the topic does not
    exist.
    """
    for message in read_messages(settings):
        entry = entry_of(message)
        if entry is not None:
            yield entry


def read_ends(settings: Settings) -> dict[int, int]:
    """Returns the end offset of each partition of the topic, including the messages of a replay that has not ended.

    Raises Unavailable when Kafka does not answer or the topic does not exist.
    """
    return {partition: end for partition, (_, end) in _watermarks(settings).items()}


def read_starts(settings: Settings) -> dict[int, int]:
    """Returns the first offset of each partition of the topic. Raises like `read_ends`."""
    return {partition: start for partition, (start, _) in _watermarks(settings).items()}


def _watermarks(settings: Settings) -> dict[int, tuple[int, int]]:
    consumer = Consumer(_config(settings) | {"isolation.level": "read_uncommitted"}, logger=log)
    try:
        partitions = _partitions(consumer, settings.kafka_dead_topic)
        return {each.partition: consumer.get_watermark_offsets(each, timeout=_SECONDS) for each in partitions}
    except KafkaException as error:
        raise _unreadable(settings, error) from error
    finally:
        consumer.close()


def read_messages(settings: Settings, ends: Mapping[int, int] = _NO_ENDS) -> Iterator[Message]:
    """Yields every message of the topic as it is stored: one partition after the other, each in the order of offsets.

    While a replay writes, leaves out the messages behind the first one of its transaction. Raises Unavailable if one of
    them is before the offset that `ends` has for its partition. Also raises Unavailable when Kafka does not answer or
    the topic does not exist.
    """
    consumer = Consumer(_config(settings), logger=log)
    try:
        for partition in _partitions(consumer, settings.kafka_dead_topic):
            end = yield from _read(consumer, partition)
            if end < ends.get(partition.partition, 0):
                raise Unavailable(
                    "`logsieve dead replay` is running, so newer dead letters cannot be read yet: run the command "
                    "again when the replay has ended, or a minute after it was killed"
                )
    except KafkaException as error:
        raise _unreadable(settings, error) from error
    finally:
        consumer.close()


def _unreadable(settings: Settings, error: KafkaException) -> Unavailable:
    return Unavailable(
        f"dead letters cannot be read from {settings.kafka_brokers}: {error.args[0].str()};"
        " `logsieve doctor` checks Kafka"
    )


def find(settings: Settings, partition: int, offset: int) -> StoredLetter:
    """Returns the letter with that partition and offset, and the latest one if there are several. Raises NotFound."""
    found: StoredLetter | None = None
    for each in read_dead_topic(settings):
        if not isinstance(each, StoredLetter):
            continue
        origin = each.letter.origin
        if (origin.partition, origin.offset) != (partition, offset):
            continue
        if found is None or replaces(origin, found.letter.origin):
            found = each
    if found is None:
        raise NotFound(f"there is no dead letter {partition}:{offset}; `logsieve dead list` shows all")
    return found


def replaces(origin: Origin, earlier: Origin) -> bool:
    """Returns whether `origin` names the latest of two letters with the same partition and offset. The other letter is
    that of `earlier`, which was read before.

    Both exist if the topic was deleted and created again, or if Kafka lost one message and gave its offset to another.
    In the second case, the leader epochs say which message is the lost one. The order in which the letters are read
    does not, because a letter may be written again.
    """
    return origin.topic_id != earlier.topic_id or origin.leader_epoch >= earlier.leader_epoch


def _partitions(consumer: Consumer, topic: str) -> list[TopicPartition]:
    metadata = consumer.list_topics(topic, timeout=_SECONDS).topics[topic]
    if metadata.error is not None:
        raise Unavailable(f"topic {topic} of dead letters cannot be read: {metadata.error.str()}")
    return [TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in sorted(metadata.partitions)]


def _read(consumer: Consumer, partition: TopicPartition) -> Generator[Message, None, int]:
    """Yields the messages of a partition. Returns the end offset up to which messages can be read, exclusive."""
    consumer.assign([partition])
    while True:
        message = consumer.poll(_SECONDS)
        if message is None:
            raise Unavailable("dead letters cannot be read: Kafka does not answer; `logsieve doctor` checks it")
        error = message.error()
        if error is None:
            yield message
        elif error.code() == KafkaError._PARTITION_EOF:
            offset = message.offset()
            assert offset is not None, "the end of a partition has an offset"
            return offset
        else:
            raise Unavailable(f"dead letters cannot be read: {error.str()}")


def entry_of(message: Message) -> StoredLetter | Replayed | None:
    """Returns the letter or marker in a message of the topic; None if Logsieve did not write the message."""
    headers = headers_of(message)
    _, at_ms = message.timestamp()
    try:
        origin = replayed_origin(headers)
        if origin is not None:
            return Replayed(origin, at_ms)
        return StoredLetter(DeadLetter.from_message(headers, message.key(), message.value()), at_ms)
    except NotALetter:
        return None


def _config(settings: Settings) -> dict[str, str | bool]:
    return {
        **kafka_connection(settings),
        # Partitions are only assigned. The client never joins the group, and commits nothing.
        "group.id": "logsieve-dead-reader",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        # An erasure may delete dead letters that are not read yet, after it copied them to the end.
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
    }
