"""Removes the dead letters of deleted tenants from their topic.

Kafka deletes messages only from the start of a partition. So all other dead letters are copied to the end, with their
times, and then everything up to the last message read is deleted. If the process dies in between, the topic has some
dead letters twice, with the same origin. Readers of the topic count both copies as one letter (schema/dead_letter.py),
and the next run copies one of them.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition

from ingest.dead.letter_tenant import tenant_of
from ingest.dead.producer import dead_letter_producer, flush_while_sending, retry_while_full
from ingest.dead.read import Replayed, StoredLetter, entry_of, read_ends, read_messages, read_starts
from kit.errors import Unavailable
from kit.settings import Settings
from schema.dead_letter import Origin
from schema.kafka_message import headers_of
from schema.topic import admin

_SECONDS: Final = 30.0
"""Longest time, in seconds, of one request to Kafka, of the delivery of one copy, and between two deliveries."""

_Report: TypeAlias = Callable[[KafkaError | None, Message], None]
"""Callback for the delivery of one message. Its arguments are the error, or None, and the message."""


@dataclass(frozen=True, slots=True)
class DeadLetterCounts:
    """Numbers of dead letters in the topic, including repeated ones: for each tenant, and of those whose tenant is
    unknown.

    `starts` has for each partition the offset of the first message read, `ends` the offset after the last one.
    """

    of_tenant: Counter[int]
    unknown: int
    starts: dict[int, int]
    ends: dict[int, int]


def count_dead_letters(settings: Settings) -> DeadLetterCounts:
    """Counts the dead letters up to the topic's end. Raises Unavailable when Kafka does not answer, and while a replay
    hides some of them."""
    found, starts, ends = Counter[int | None](), dict[int, int](), dict[int, int]()
    for message in read_messages(settings, read_ends(settings)):
        starts.setdefault(_partition(message), _offset(message))
        ends[_partition(message)] = _offset(message) + 1
        entry = entry_of(message)
        if isinstance(entry, StoredLetter):
            found[tenant_of(entry.letter)] += 1
    unknown = found.pop(None, 0)
    return DeadLetterCounts(
        Counter({tenant: count for tenant, count in found.items() if tenant is not None}), unknown, starts, ends
    )


def erase_dead_letters(settings: Settings, tenants: Collection[int], counts: DeadLetterCounts) -> None:
    """Removes the dead letters and markers of these tenants. `counts` is the result of `count_dead_letters`.

    Raises Unavailable if Kafka does not answer or does not allow it.
    """
    producer = dead_letter_producer(settings, _SECONDS)
    errors: list[KafkaError] = []

    def report(error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            errors.append(error)

    try:
        # This call deletes nothing. It fails if Kafka does not allow deletions, before any letter is copied. Without
        # it, each run would then copy all letters again.
        _delete(settings, counts.starts)
        for message in _kept(read_messages(settings), tenants, counts.ends):
            if errors:
                break
            _copy(producer, message, report)
        unsent = flush_while_sending(producer, _SECONDS)
        if errors or unsent:
            raise Unavailable(
                f"dead letters of other tenants cannot be copied: {errors[0].str() if errors else 'no answer'}"
            )
        _delete(settings, counts.ends)
    except KafkaException as error:
        raise _not_erased(error) from error


def require_deletions(settings: Settings) -> None:
    """Raises Unavailable if Kafka does not allow the deletion of dead letters. Reads and deletes none."""
    try:
        _delete(settings, read_starts(settings))
    except KafkaException as error:
        raise _not_erased(error) from error


def _not_erased(error: KafkaException) -> Unavailable:
    return Unavailable(f"dead letters cannot be erased: {error.args[0].str()}")


def _kept(messages: Iterable[Message], tenants: Collection[int], ends: dict[int, int]) -> Iterator[Message]:
    """Yields the messages to copy: the messages before `ends` that do not belong to the tenants, and only one of equal
    copies of a letter.

    A copy has the time of its original, so that a letter that was copied by an earlier run is recognised.
    """
    erased, copied = set[Origin](), set[tuple[type, Origin, int]]()
    for message in messages:
        if _offset(message) >= ends.get(_partition(message), 0):
            continue  # Loaders or this process wrote this message after the count.
        match entry_of(message):
            case StoredLetter(letter, _) if tenant_of(letter) in tenants:
                erased.add(letter.origin)
                continue
            case Replayed(origin, _) if origin in erased:
                continue
            case StoredLetter(letter, at_ms):
                identity: tuple[type, Origin, int] | None = (StoredLetter, letter.origin, at_ms)
            case Replayed(origin, at_ms):
                identity = (Replayed, origin, at_ms)
            case None:
                identity = None
        if identity in copied:
            continue
        if identity is not None:
            copied.add(identity)
        yield message


def _partition(message: Message) -> int:
    partition = message.partition()
    assert partition is not None, "a message that was read has a partition"
    return partition


def _offset(message: Message) -> int:
    offset = message.offset()
    assert offset is not None, "a message that was read has an offset"
    return offset


def _copy(producer: Producer, message: Message, report: _Report) -> None:
    _, at_ms = message.timestamp()
    topic = message.topic()
    assert topic is not None, "a message that was read has a topic"
    send = partial(
        producer.produce,
        topic,
        message.value(),
        message.key(),
        _partition(message),
        report,
        timestamp=at_ms,
        headers=headers_of(message),
    )
    retry_while_full(producer, send)


def _delete(settings: Settings, ends: dict[int, int]) -> None:
    client = admin(settings)
    requested = [TopicPartition(settings.kafka_dead_topic, partition, end) for partition, end in ends.items()]
    if requested:
        for deleted in client.delete_records(requested, request_timeout=_SECONDS).values():
            deleted.result()
