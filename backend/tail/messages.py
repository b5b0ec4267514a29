"""Kafka messages as tails read them: the tenant from the headers alone, and the matching records."""

from functools import cached_property
from operator import attrgetter
from typing import Final

import structlog
from confluent_kafka import Message

from backend.logs.records import encode_log
from backend.predicate.predicate import Predicate
from backend.predicate.rows import Rows
from kit import metrics
from schema.columns import StoredRecord
from schema.coordinates import Coordinates
from schema.envelope import Envelope, Undecodable
from schema.kafka_message import headers_of
from schema.log_columns import LogColumns
from schema.otlp import decode_message

log = structlog.get_logger()

_columns_of: Final = attrgetter(*StoredRecord._fields)


class TailedMessage:
    """One message. It is decoded once, and each record is written as JSON once, for any number of tails."""

    def __init__(self, message: Message, topic_epoch: int) -> None:
        self._message = message
        self._epoch = topic_epoch
        self.partition = message.partition() or 0
        self.offset = message.offset() or 0
        self._json: dict[int, bytes] = {}

    @cached_property
    def tenant_id(self) -> int | None:
        """Number of the tenant, from the headers alone; None if they do not name one."""
        for name, value in headers_of(self._message):
            if name == "tenant_id" and value is not None and value.isdigit():
                return int(value)
        return None

    def matching(self, predicate: Predicate, sent: int = 0) -> list[tuple[int, bytes]]:
        """Returns the matching records from number `sent` on, each with its number and as JSON."""
        rows = self._rows
        if rows is None:
            return []
        return [(row, self._record(rows.columns, row)) for row in predicate.among(rows) if row >= sent]

    @cached_property
    def _rows(self) -> Rows | None:
        """The decoded rows; None for a message that the loader makes a dead letter (ingest/loader/decode.py)."""
        try:
            envelope = Envelope.from_headers(headers_of(self._message))
            where = Coordinates(self._epoch, self.partition, self.offset)
            columns = decode_message(self._message.value() or b"", envelope, where)
        except Undecodable as error:
            metrics.counter(metrics.TAIL_MESSAGES).add(1, {"outcome": "undecodable"})
            log.warning(
                "live tail skips a message that cannot be decoded",
                partition=self.partition,
                offset=self.offset,
                reason=error.detail,
            )
            return None
        metrics.counter(metrics.TAIL_MESSAGES).add(1, {"outcome": "decoded"})
        return Rows(columns)

    def _record(self, columns: LogColumns, row: int) -> bytes:
        known = self._json.get(row)
        if known is None:
            known = self._json[row] = encode_log(record_of(columns, row))
        return known


def record_of(columns: LogColumns, row: int) -> StoredRecord:
    """Returns one row of the message in the form in which a search reads it."""
    return StoredRecord._make([column[row] for column in _columns_of(columns)])
