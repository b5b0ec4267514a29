"""A record as a log table has it, and the one list of the columns that are read of it."""

from typing import Final, NamedTuple

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

    @property
    def key(self) -> RecordId:
        """The record's place in its tenant's order."""
        return RecordId(self.timestamp, self.id)


RECORD_FIELDS: Final = StoredRecord._fields
"""The order of every row that is to become a record, wherever it is read: `StoredRecord._make` relies on it."""
