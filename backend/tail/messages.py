"""Kafka messages as tails read them: the tenant from the headers alone, and the matching records."""

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from itertools import repeat
from operator import attrgetter
from typing import Final

import structlog
from confluent_kafka import Message

from backend.language.steps import TextSteps
from backend.logs.records import encode_log
from backend.predicate.predicate import Predicate
from backend.predicate.rows import Rows
from kit import metrics
from kit.errors import RateLimited
from schema.columns import StoredRecord
from schema.coordinates import Coordinates
from schema.envelope import Envelope, Undecodable
from schema.kafka_message import headers_of, leader_epoch_of
from schema.log_columns import LogColumns
from schema.otlp import decode_message

log = structlog.get_logger()

SLICE_RECORDS: Final = 50
"""Largest number of records in a slice. Processor time is checked after a query was evaluated on a slice."""

SLICE_STEPS: Final = 2**22
"""Largest number of steps that a query may take in a slice, unless the slice has one record. An expression whose sets
of instructions do not fit into RE2's cache takes about 5 ns for each step and byte."""

RECORD_STEPS: Final = 2**30
"""Largest number of steps that a query may take for a record. Such a record takes about 5 s, and no clock is checked
meanwhile."""

RETRY_SECONDS: Final = 10
"""Seconds after which a client whose tail ended before a record may try again."""

CACHE_BYTES: Final = 16 * 2**20
"""Bytes of the JSON of records that are kept for the next query, unless one record has more."""

_columns_of: Final = attrgetter(*StoredRecord._fields)


class TailedMessage:
    """One message. It is decoded once. Each record is written as JSON once for any number of tails, if these read slice
    after slice and the records of a slice fit into CACHE_BYTES."""

    def __init__(self, message: Message, topic_epoch: int) -> None:
        self._message = message
        self._epoch = topic_epoch
        self.partition = message.partition() or 0
        self.offset = message.offset() or 0
        self._json: dict[int, bytes] = {}
        self._json_bytes = 0

    @cached_property
    def tenant_id(self) -> int | None:
        """Number of the tenant, from the headers alone; None if they do not name one."""
        for name, value in headers_of(self._message):
            if name == "tenant_id" and value is not None and value.isdigit():
                return int(value)
        return None

    def slices(self, queries: Collection[TextSteps]) -> Iterator[range]:
        """Yields the numbers of all records in short slices, in order. Yields nothing if the message cannot be decoded.

        `queries` has the steps of each query that reads the slices. Raises RateLimited before a record
        whose evaluation could take more than RECORD_STEPS.
        """
        if self._rows is None:
            return
        bodies, distinct = self._rows.columns.body, set(queries)
        reads_values = any(steps.values for steps in distinct)
        lengths = _longest_values(self._rows.columns) if reads_values else repeat(0)
        start = spent = 0
        for row, (body, longest_value) in enumerate(zip(bodies, lengths, strict=False)):
            cost = max(steps.body * len(body) + steps.values * longest_value for steps in distinct)
            if row > start and (row - start == SLICE_RECORDS or spent + cost > SLICE_STEPS):
                yield range(start, row)
                self._forget_json()
                start, spent = row, 0
            if cost > RECORD_STEPS:
                raise _too_long(cost)
            spent += cost
        if bodies:
            yield range(start, len(bodies))

    def matching(self, predicate: Predicate, numbers: range) -> Iterator[tuple[int, bytes]]:
        """Yields the matching records among those with the given numbers, each with its number and as JSON."""
        if (rows := self._rows) is not None:
            for row in predicate.within(rows, numbers):
                yield row, self._record(rows.columns, row)

    @cached_property
    def _rows(self) -> Rows | None:
        """The decoded rows; None for a message that the loader makes a dead letter (ingest/loader/decode.py)."""
        try:
            envelope = Envelope.from_headers(headers_of(self._message))
            where = Coordinates(self._epoch, self.partition, self.offset, leader_epoch_of(self._message))
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
            known = encode_log(record_of(columns, row))
            if self._json_bytes + len(known) > CACHE_BYTES:
                self._forget_json()
            self._json[row] = known
            self._json_bytes += len(known)
        return known

    def _forget_json(self) -> None:
        self._json.clear()
        self._json_bytes = 0


def _longest_values(columns: LogColumns) -> Iterator[int]:
    """Yields the characters of the longest value of each record's attributes and of its resource's."""
    resource: Mapping[str, str] | None = None
    longest = 0
    for attributes, each in zip(columns.attributes, columns.resource, strict=True):
        if each is not resource:  # the records of a resource share the object
            resource, longest = each, max(map(len, each.values()), default=0)
        yield max(longest, *map(len, attributes.values())) if attributes else longest


def _too_long(cost: int) -> RateLimited:
    return RateLimited(
        f"a record has texts that are too long for a live tail of this tenant: the tail's query could take {cost:,} "
        f"steps for the record, and may take {RECORD_STEPS:,}. Write the query with fewer terms and stars",
        retry_after=RETRY_SECONDS,
    )


def record_of(columns: LogColumns, row: int) -> StoredRecord:
    """Returns one row of the message in the form in which a search reads it."""
    return StoredRecord._make([column[row] for column in _columns_of(columns)])
