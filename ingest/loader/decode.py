"""Decodes a Kafka message to rows, or makes a dead letter of it if it cannot be decoded."""

from collections.abc import Iterable

import structlog
from confluent_kafka import Message

from ingest.loader.batch import DecodedMessage
from kit import metrics
from schema.coordinates import Coordinates, LogPosition, TopicId
from schema.dead_letter import DeadLetter, Origin
from schema.envelope import Envelope, Fault, Undecodable
from schema.kafka_message import headers_of
from schema.otlp import LogMessage
from schema.usage import Usage

log = structlog.get_logger()


def decode_or_dead_letter(
    message: Message, topic: TopicId, partition: int, position: LogPosition
) -> DecodedMessage | DeadLetter:
    """Returns the message's rows. If the message cannot be decoded, counts and logs that, and returns a dead letter.

    The decision depends on the message alone, so the same messages become dead letters when a range is repeated. All
    rows returned here fit the columns: ClickHouse refuses none of them for their content, but it may refuse an insert
    for its cost.
    """
    offset = position.offset
    try:
        return decode(message, Coordinates(topic.epoch, partition, offset, position.leader_epoch))
    except Undecodable as error:
        fault, reason = error.fault, error.detail
    except MemoryError:
        raise
    except Exception as error:  # a bug of ours must cost one message, which is kept, and not the whole partition
        fault, reason = Fault.internal, f"{type(error).__name__}: {error}"
        log.exception("decoding failed", partition=partition, offset=offset)
    metrics.counter(metrics.LOADER_DEAD_LETTERS).add(1, {"code": fault})
    log.error("message cannot be loaded", partition=partition, offset=offset, code=fault, reason=reason)
    origin = Origin(topic.text, partition, offset, position.leader_epoch)
    return DeadLetter(origin, fault, reason, message.key(), headers_of(message), message.value())


def usage_of(messages: Iterable[LogMessage]) -> Usage:
    """Counts messages and the refusals that they report."""
    usage = Usage()
    for each in messages:
        usage.add_message(each.envelope, len(each), len(each.message.value))
    return usage


def decode(message: Message, coordinates: Coordinates) -> DecodedMessage:
    """Decodes a message. Raises Undecodable."""
    envelope = Envelope.from_headers(headers_of(message))
    rows = LogMessage.read(message.value() or b"", envelope, coordinates)
    return DecodedMessage(
        lane=envelope.lane,
        cohort=envelope.cohort,
        days=frozenset(rows.message.days),
        rows=rows,
        size=rows.message.row_bytes,
        received_at=envelope.received_at,
        usage=usage_of([rows]),
    )
