"""Tests that a record's columns have the same order in the table and in the topic."""

from backend.logs.tests.models import to_log
from backend.store.record_id import key_of
from backend.store.select_records import RECORD_COLUMNS
from backend.store.tests.fake_log_store import stored_row
from backend.tail.messages import record_of
from schema.columns import StoredRecord
from schema.log_columns import LogColumns

RECORD = StoredRecord(
    timestamp=1,
    id=2,
    observed_timestamp=3,
    severity_number=4,
    severity_text="severity",
    service="service",
    body="body",
    body_truncated_bytes=5,
    attributes={"a": "6"},
    attribute_types="i",
    resource={"r": "7"},
    resource_types="s",
    scope_name="name",
    scope_version="version",
    trace_id=bytes([8] * 16),
    span_id=bytes([9] * 8),
    flags=10,
    event_name="event",
)


def test_a_statement_selects_the_fields_in_their_order() -> None:
    selected = RECORD_COLUMNS.split(", ")
    columns = [column.split(" AS ")[0].removeprefix("toUnixTimestamp64Nano(").rstrip(")") for column in selected]
    assert tuple(columns) == StoredRecord._fields
    times = [column for column in selected if column.startswith("toUnixTimestamp64Nano")]
    # The columns have names of their own, because ClickHouse would take an alias for the column in a condition.
    assert [time.split(" AS ")[1] for time in times] == ["timestamp_ns", "observed_timestamp_ns"]


def test_a_row_of_the_topic_is_a_row_of_the_table() -> None:
    columns = LogColumns()
    for record in (stored_row(0, 0), RECORD):
        for name, value in record._asdict().items():
            getattr(columns, name).append(value)
    assert record_of(columns, 1) == RECORD


def test_every_field_is_shown_where_it_belongs() -> None:
    assert to_log(RECORD).model_dump() == {
        "id": str(key_of(RECORD)),
        "timestamp": "1970-01-01T00:00:00.000000001Z",
        "observed_timestamp": "1970-01-01T00:00:00.000000003Z",
        "severity_number": 4,
        "severity_text": "severity",
        "service": "service",
        "body": "body",
        "body_truncated_bytes": 5,
        "attributes": {"a": 6},
        "resource": {"r": "7"},
        "scope": {"name": "name", "version": "version"},
        "trace_id": "08" * 16,
        "span_id": "09" * 8,
        "flags": 10,
        "event_name": "event",
    }
