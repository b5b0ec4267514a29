"""A Kafka message as rows, and what happens to one that is not ours."""

import structlog
from confluent_kafka import Message

from ingest.loader.batch import DecodedMessage
from kit import metrics
from schema.coordinates import Coordinates
from schema.envelope import Envelope, Undecodable
from schema.otlp import decode_message

log = structlog.get_logger()


def decode_or_skip(message: Message, coordinates: Coordinates) -> DecodedMessage | None:
    """The message's rows; None for one that cannot be decoded, which is counted, logged and passed over.

    This is the one place that decides about such messages. The decision depends on the message alone, so a repeated
    range skips the same ones.
    """
    try:
        return decode(message, coordinates)
    except Undecodable as error:
        metrics.counter(metrics.LOADER_UNDECODABLE).add(1)
        log.error(
            "message skipped: it cannot be decoded",
            partition=coordinates.partition,
            offset=coordinates.offset,
            reason=error.detail,
        )
        return None


def decode(message: Message, coordinates: Coordinates) -> DecodedMessage:
    """Raises Undecodable."""
    headers = message.headers()
    # Typed as a dict too, because producers take one; a consumer always gives a list.
    envelope = Envelope.from_headers(list(headers.items()) if isinstance(headers, dict) else headers)
    value = message.value() or b""
    columns = decode_message(value, envelope, coordinates)
    return DecodedMessage(envelope.lane, columns, len(value), envelope.received_at)
