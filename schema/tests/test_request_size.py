import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from schema.envelope import Fault, Undecodable
from schema.otlp import read_request
from schema.request_size import MAX_NESTED_VALUES, has_too_many_values, row_bytes


def request(records: list[LogRecord], resource: Resource | None = None) -> ExportLogsServiceRequest:
    logs = ResourceLogs(resource=resource, scope_logs=[ScopeLogs(log_records=records)])
    return ExportLogsServiceRequest(resource_logs=[logs])


def array(count: int) -> AnyValue:
    return AnyValue(array_value=ArrayValue(values=[AnyValue()] * count))


def test_each_row_has_its_resource() -> None:
    resource = Resource(attributes=[KeyValue(key="k" * 1000)])
    one, many = request([LogRecord()], resource), request([LogRecord()] * 101, resource)
    assert row_bytes(one, one.ByteSize()) == one.ByteSize()
    assert row_bytes(many, many.ByteSize()) == many.ByteSize() + 100 * resource.ByteSize()


def test_a_small_request_that_becomes_huge_rows_is_undecodable() -> None:
    resource = Resource(attributes=[KeyValue(key="k" * 1_000_000)])
    with pytest.raises(Undecodable) as raised:
        read_request(request([LogRecord()] * 300, resource).SerializeToString())
    assert raised.value.fault is Fault.too_large


@pytest.mark.parametrize(
    "record",
    [
        LogRecord(body=array(MAX_NESTED_VALUES + 1)),
        LogRecord(attributes=[KeyValue(key="a", value=array(MAX_NESTED_VALUES + 1))]),
        LogRecord(body=AnyValue(array_value=ArrayValue(values=[array(MAX_NESTED_VALUES // 2)] * 2))),
        LogRecord(
            body=AnyValue(
                kvlist_value=KeyValueList(values=[KeyValue(key="k", value=array(MAX_NESTED_VALUES // 3))] * 3)
            )
        ),
    ],
)
def test_too_many_nested_values_are_seen_wherever_they_are(record: LogRecord) -> None:
    crowded = request([record])
    assert has_too_many_values(crowded, crowded.ByteSize())


def test_as_many_as_are_allowed_pass() -> None:
    full = request([LogRecord(body=array(MAX_NESTED_VALUES)), LogRecord(body=AnyValue(string_value="x" * 100_000))])
    assert not has_too_many_values(full, full.ByteSize())
    assert read_request(full.SerializeToString()) == full
