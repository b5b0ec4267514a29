"""Converts an OTLP log export to rows of a log table, from the bytes of a Kafka message and its envelope.

The rows are a pure function of bytes, envelope and coordinates. Exactly-once delivery depends on it:
docs/decisions/0002-rows-are-a-function-of-the-message.md. Native code (`native/src`) does all work on single bytes:
docs/decisions/0012-rows-are-made-in-native-code.md.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Self

from logsieve_native import Message, Rows
from schema.clickhouse.fields_rollup import BUCKET_SECONDS
from schema.clickhouse.fields_rollup import COLUMNS as FIELDS_COLUMNS
from schema.columns import COLUMNS, DECODED
from schema.coordinates import Coordinates
from schema.envelope import Envelope, Fault, Undecodable
from schema.log_columns import LogColumns
from schema.request_size import MAX_LOADED_ROW_BYTES, MAX_NESTED_VALUES

_NATIVE_COLUMNS = tuple((column.name, column.type) for column in COLUMNS)
_FIELDS_COLUMNS = tuple((column.name, column.type) for column in FIELDS_COLUMNS)


def parse_message(raw: bytes, received_at: int) -> Message:
    """Checks all bytes of an export request and returns it. `received_at` is in nanoseconds since the Unix epoch.

    Raises Undecodable if the bytes are not an export request.
    """
    try:
        return Message(raw, received_at)
    except ValueError as error:
        raise Undecodable(f"not an OTLP export request: {error}", Fault.not_otlp) from None


def read_message(raw: bytes, received_at: int) -> Message:
    """Like `parse_message`, but also raises Undecodable if the rows of the request are more than loaders accept."""
    message = parse_message(raw, received_at)
    if message.row_bytes > MAX_LOADED_ROW_BYTES:
        reason = f"its rows, each with its resource and scope, would have more than {MAX_LOADED_ROW_BYTES} bytes"
        raise Undecodable(reason, Fault.too_large)
    if message.nested_values > MAX_NESTED_VALUES:
        raise Undecodable(f"more than {MAX_NESTED_VALUES} values inside arrays and maps", Fault.too_large)
    return message


@dataclass(frozen=True, slots=True)
class LogMessage:
    """A decoded message with its envelope and coordinates: everything its rows depend on.

    Takes as much memory as the encoded message, and about 700 bytes for its objects.
    """

    message: Message
    envelope: Envelope
    coordinates: Coordinates

    @property
    def first_record_id(self) -> int:
        return self.coordinates.first_record_id

    @classmethod
    def read(cls, raw: bytes, envelope: Envelope, coordinates: Coordinates) -> Self:
        """Decodes a message. Raises Undecodable as `read_message` does."""
        message = read_message(raw, envelope.received_at)
        return cls(message, envelope, coordinates)

    def __len__(self) -> int:
        return self.message.records


def decode_message(raw: bytes, envelope: Envelope, coordinates: Coordinates) -> LogColumns:
    """Returns all records of the message in their order. Raises Undecodable as `read_message` does."""
    rows = _rows([LogMessage.read(raw, envelope, coordinates)])
    return LogColumns(**{each.name: rows.column(each.name) for each in DECODED})


def native_block(messages: Iterable[LogMessage]) -> Generator[bytes, None, None]:
    """Yields all records of the messages in their order, as one block in ClickHouse's Native format, in chunks.

    Memory holds each resource once, for any number of rows.
    """
    yield from _chunks(_rows(messages))


def field_counts(messages: Iterable[LogMessage]) -> bytes:
    """Returns the counts of the messages' fields and values, as a block of a fields table in Native format.

    The counts are a pure function of the messages, like the rows. Returns no bytes if there are no fields.
    """
    return _rows(messages).field_counts(_FIELDS_COLUMNS, BUCKET_SECONDS)


def counted_block(messages: Iterable[LogMessage]) -> tuple[Generator[bytes, None, None], bytes]:
    """Returns the results of `native_block` and `field_counts`, and builds the rows only once."""
    rows = _rows(messages)
    counts = rows.field_counts(_FIELDS_COLUMNS, BUCKET_SECONDS)
    return _chunks(rows), counts


def _chunks(rows: Rows) -> Generator[bytes, None, None]:
    yield from rows.native(_NATIVE_COLUMNS)


def _rows(messages: Iterable[LogMessage]) -> Rows:
    rows = Rows()
    for each in messages:
        envelope = each.envelope
        rows.append(each.message, envelope.tenant_id, envelope.cohort, envelope.body_max_bytes, each.first_record_id)
    return rows
