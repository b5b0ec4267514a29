"""Tests that a block is written in chunks, and that memory holds repeated text only once."""

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from logsieve_native import Rows
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import LogMessage, decode_message, native_block
from schema.tests.otlp_messages import field
from tests.peak_memory import peak_memory, reset_peak_memory

ENVELOPE = Envelope(1, 0, "r30", 4096, 1)
COORDINATES = Coordinates(1, 1, 1)
CHUNK = 2**20


def logs(records: int, *values: str) -> ResourceLogs:
    """Returns records that differ from each other, of a resource with these values."""
    attributes = [KeyValue(key=f"r{place}", value=AnyValue(string_value=each)) for place, each in enumerate(values)]
    each = [
        LogRecord(
            body=AnyValue(string_value=f"body {number}"),
            attributes=[KeyValue(key=f"a{number % 7}", value=AnyValue(int_value=number))],
        )
        for number in range(records)
    ]
    return ResourceLogs(resource=Resource(attributes=attributes), scope_logs=[ScopeLogs(log_records=each)])


def serialized(*parts: ResourceLogs) -> bytes:
    return ExportLogsServiceRequest(resource_logs=parts).SerializeToString()


def alone(whole: ResourceLogs) -> list[ResourceLogs]:
    """Returns the records with the resource repeated for each, so that nothing is shared."""
    records = whole.scope_logs[0].log_records
    return [ResourceLogs(resource=whole.resource, scope_logs=[ScopeLogs(log_records=[each])]) for each in records]


def chunks(raw: bytes) -> list[bytes]:
    return list(native_block([LogMessage.read(raw, ENVELOPE, COORDINATES)]))


def test_rows_of_one_resource_are_those_of_a_resource_each() -> None:
    parts = logs(300, "x" * 9000, "", "y"), logs(1), logs(2, "z"), logs(40, "w" * 3000), logs(0, "none")
    whole, single = serialized(*parts), serialized(*(each for part in parts for each in alone(part)))
    assert decode_message(whole, ENVELOPE, COORDINATES) == decode_message(single, ENVELOPE, COORDINATES)
    block = chunks(whole)
    assert len(block) > 2
    assert max(map(len, block)) < 2 * CHUNK
    assert b"".join(block) == b"".join(chunks(single))


def test_a_column_with_another_type_is_refused() -> None:
    """Its bytes would be read as values of the other type."""
    message = LogMessage.read(serialized(logs(1, "x")), ENVELOPE, COORDINATES).message
    for name, type_name in (("timestamp", "UInt64"), ("tenant_id", "UInt64"), ("missing", "String")):
        rows = Rows()
        rows.append(message, 1, "r30", 4096, 1)
        with pytest.raises(KeyError, match=f"{name} {type_name}"):
            rows.field_counts([(name, type_name)], 900)
        with pytest.raises(KeyError, match=f"{name} {type_name}"):
            rows.native([(name, type_name)])


def test_a_block_without_rows_has_its_columns() -> None:
    assert b"".join(chunks(serialized())) == b"".join(chunks(serialized(logs(0, "none"))))


def test_a_resource_that_rows_repeat_takes_no_memory_for_each() -> None:
    raw = serialized(logs(60_000, "x" * 4000))
    message = LogMessage.read(raw, ENVELOPE, COORDINATES)
    del raw
    before = reset_peak_memory()
    size = sum(map(len, native_block([message])))
    assert size > 240_000_000
    assert peak_memory() - before < 64 * 2**20


def test_bodies_take_no_memory_besides_that_of_their_messages() -> None:
    record = LogRecord(body=AnyValue(string_value="x" * 4096))
    raw = serialized(ResourceLogs(scope_logs=[ScopeLogs(log_records=[record] * 16_000)]))
    message = LogMessage.read(raw, ENVELOPE, COORDINATES)
    before = reset_peak_memory()
    assert sum(map(len, native_block([message]))) > 64_000_000
    assert peak_memory() - before < 24 * 2**20


def test_values_in_pieces_at_all_levels_take_no_memory_for_each_level() -> None:
    value = field(15, bytes(16 * 2**20))
    for _ in range(31):
        # An empty piece follows each piece, so that a reader would have to join them.
        value = field(6, field(1, field(2, value) + field(2, b""))) + field(6, b"")
    raw = field(1, field(2, field(2, field(6, field(2, value) + field(2, b"")))))
    message = LogMessage.read(raw, ENVELOPE, COORDINATES)
    before = reset_peak_memory()
    assert sum(map(len, native_block([message]))) < 10_000
    assert peak_memory() - before < 24 * 2**20
