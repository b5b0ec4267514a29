"""Tests that records of load tests have the exact size, consecutive numbers, and text that depends only on the seed."""

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from loadtest.corpus.records import LARGE, NUMBER, SMALL, RecordSource, Shape
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import decode_message


def text_bytes(record: LogRecord) -> int:
    """Returns the bytes of body, attribute names and attribute values, as Logsieve stores them."""
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])])
    columns = decode_message(request.SerializeToString(), Envelope(1, 0, "r30", 65_536, 1), Coordinates(1, 1, 1))
    [body], [attributes] = columns.body, columns.attributes
    return len(body) + sum(len(name) + len(value) for name, value in attributes.items())


@pytest.mark.parametrize("shape", [SMALL, LARGE])
def test_every_record_has_the_size_it_is_counted_with(shape: Shape) -> None:
    records = RecordSource(shape, seed=3).take(200, time_ns=1)
    assert {text_bytes(record) for record in records} == {shape.size}
    assert {len(record.attributes) for record in records} == {shape.attributes}
    assert sum(len(record.trace_id) == 16 for record in records) == 100


def test_numbers_go_on_from_call_to_call() -> None:
    source = RecordSource(SMALL, seed=3, first=70)
    numbers = [
        next(each.value.int_value for each in record.attributes if each.key == NUMBER)
        for record in [*source.take(2, 1), *source.take(1, 2)]
    ]
    assert numbers == [70, 71, 72]


def test_the_seed_decides_the_text() -> None:
    first, again, other = (RecordSource(SMALL, seed).take(5, 1) for seed in (1, 1, 2))
    assert first == again
    assert first != other
