"""A record as a log table has it, and the one list of the columns that are read of it."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from backend.store.record_id import RecordId


class StoredRecord(NamedTuple):
    """Named as the columns (schema/columns.py). Times are nanoseconds since the Unix epoch; ids of traces are bytes."""

    timestamp: int
    id: int
    observed_timestamp: int
    severity_number: int
    severity_text: str
    service: str
    body: str
    body_truncated_bytes: int
    attributes: dict[str, str]
    attribute_types: str
    resource: dict[str, str]
    resource_types: str
    scope_name: str
    scope_version: str
    trace_id: bytes
    span_id: bytes
    flags: int
    event_name: str


RECORD_FIELDS: Final = StoredRecord._fields
"""The order of every row that is to become a record, wherever it is read: `StoredRecord._make` relies on it."""


def record_id(row: Sequence[Any]) -> RecordId:
    """Returns the key of a row whose first columns are timestamp and id."""
    return RecordId(row[0], row[1])
