"""An OTLP log export as rows: bytes of a Kafka message and its envelope in, rows of a log table out.

The rows are a pure function of bytes, envelope and coordinates; exactly-once delivery rests on it:
docs/decisions/0002-rows-are-a-function-of-the-message.md.
What looks at every byte is native code, `native/src`: docs/decisions/0012-rows-are-made-in-native-code.md.
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
from schema.request_size import MAX_NESTED_VALUES, MAX_ROW_BYTES

_NATIVE_COLUMNS = tuple((column.name, column.type) for column in COLUMNS)
_FIELDS_COLUMNS = tuple((column.name, column.type) for column in FIELDS_COLUMNS)


def read_message(raw: bytes, received_at: int) -> Message:
    """Returns an export request after a check of all its bytes. `received_at` is in nanoseconds since the Unix epoch.

    Raises Undecodable if the bytes are not an export request, or its rows would be too large.
    """
    try:
        message = Message(raw, received_at)
    except ValueError as error:
        raise Undecodable(f"not an OTLP export request: {error}", Fault.not_otlp) from None
    if message.row_bytes > MAX_ROW_BYTES:
        reason = f"its rows, of which each has its resource and scope, would have more than {MAX_ROW_BYTES} bytes"
        raise Undecodable(reason, Fault.too_large)
    if message.nested_values > MAX_NESTED_VALUES:
        raise Undecodable(f"more than {MAX_NESTED_VALUES} values inside arrays and maps", Fault.too_large)
    return message


@dataclass(frozen=True, slots=True)
class LogMessage:
    """A message that has rows to give, with all that decides about them. It takes as much memory as the message."""

    message: Message
    envelope: Envelope
    first_record_id: int

    @classmethod
    def read(cls, raw: bytes, envelope: Envelope, coordinates: Coordinates) -> Self:
        """Raises Undecodable as `read_message`."""
        message = read_message(raw, envelope.received_at)
        return cls(message, envelope, coordinates.first_record_id)

    def __len__(self) -> int:
        return self.message.records


def decode_message(raw: bytes, envelope: Envelope, coordinates: Coordinates) -> LogColumns:
    """Returns all records of the message in their order. Raises Undecodable like `LogMessage.read`."""
    rows = _rows([LogMessage.read(raw, envelope, coordinates)])
    return LogColumns(**{each.name: rows.column(each.name) for each in DECODED})


def native_block(messages: Iterable[LogMessage]) -> Generator[bytes, None, None]:
    """Yields all records of the messages in their order, as one block in ClickHouse's Native format, in chunks.

    A resource is in memory once, for any number of rows.
    """
    yield from _chunks(_rows(messages))


def field_counts(messages: Iterable[LogMessage]) -> bytes:
    """Returns the counts of the messages' fields and values, as a block of a table of fields in Native format.

    They are a pure function of the messages, as the rows are. Without any field there are no bytes.
    """
    return _rows(messages).field_counts(_FIELDS_COLUMNS, BUCKET_SECONDS)


def counted_block(messages: Iterable[LogMessage]) -> tuple[Generator[bytes, None, None], bytes]:
    """Returns what `native_block` and `field_counts` give, and makes the rows only once."""
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
