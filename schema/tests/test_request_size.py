import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from schema.coordinates import Coordinates
from schema.envelope import Envelope, Fault, Undecodable
from schema.otlp import LogMessage, native_block
from schema.request_size import MAX_NESTED_VALUES, MAX_ROW_BYTES

NULL_BYTES = 4
"""Bytes of an empty value in a row, as JSON."""


def read(request: ExportLogsServiceRequest) -> LogMessage:
    return LogMessage.read(request.SerializeToString(), Envelope(1, 0, "r30", 10, 1), Coordinates(1, 1, 1))


def request(records: list[LogRecord], resource: Resource | None = None) -> ExportLogsServiceRequest:
    logs = ResourceLogs(resource=resource, scope_logs=[ScopeLogs(log_records=records)])
    return ExportLogsServiceRequest(resource_logs=[logs])


def array(count: int) -> AnyValue:
    return AnyValue(array_value=ArrayValue(values=[AnyValue()] * count))


def test_each_row_has_its_resource() -> None:
    resource = Resource(attributes=[KeyValue(key="k" * 1000)])
    one, many = request([LogRecord()], resource), request([LogRecord()] * 101, resource)
    assert read(one).message.row_bytes == one.ByteSize()
    assert read(many).message.row_bytes == many.ByteSize() + 100 * resource.ByteSize()


def test_records_in_scopes_of_their_own_have_their_resource_too() -> None:
    resource = Resource(attributes=[KeyValue(key="k" * 1000), KeyValue(key="l")])
    attribute = KeyValue(key="a")
    scopes = [ScopeLogs(log_records=[LogRecord(attributes=[attribute])])] * 101
    many = ExportLogsServiceRequest(resource_logs=[ResourceLogs(resource=resource, scope_logs=scopes)])
    message = read(many).message
    assert message.row_bytes == many.ByteSize() + 100 * resource.ByteSize()
    assert (message.attributes, message.row_attributes) == (2 + 101, 2 * 101 + 101)


def test_a_small_request_that_becomes_huge_rows_is_undecodable() -> None:
    resource = Resource(attributes=[KeyValue(key="k" * 1_000_000)])
    with pytest.raises(Undecodable) as raised:
        read(request([LogRecord()] * 900, resource))
    assert raised.value.fault is Fault.too_large


def test_a_message_loads_that_a_receiver_accepted_when_nulls_had_no_bytes() -> None:
    nulls = 100_000
    resource = Resource(attributes=[KeyValue(key="a", value=array(nulls))])
    message = read(request([LogRecord()] * 1000, resource)).message
    assert message.row_bytes - 1000 * NULL_BYTES * nulls < MAX_ROW_BYTES < message.row_bytes


@pytest.mark.parametrize(
    "value",
    [
        AnyValue(string_value="\x01" * 600),
        AnyValue(string_value='\n"\\' * 200),
        AnyValue(string_value="é\x1f" * 300),
        AnyValue(bytes_value=b"\0" * 600),
        AnyValue(array_value=ArrayValue(values=[AnyValue(bytes_value=b"\0")] * 100)),
        array(200),
        AnyValue(array_value=ArrayValue(values=[AnyValue(double_value=-1.2345678901234567e-300)] * 100)),
        AnyValue(array_value=ArrayValue(values=[AnyValue(int_value=-(2**63))] * 100)),
        AnyValue(array_value=ArrayValue(values=[AnyValue(bool_value=False)] * 100)),
        AnyValue(kvlist_value=KeyValueList(values=[KeyValue(key=f"{each:02}") for each in range(100)])),
    ],
)
def test_rows_have_no_more_bytes_than_they_are_taken_to_have(value: AnyValue) -> None:
    """Tests values that are longer in a row than in the request, because of JSON escapes, base64, digits and nulls."""
    entry = KeyValue(key=value.string_value[:9] or "k", value=value)
    nested = AnyValue(kvlist_value=KeyValueList(values=[entry]))
    for resource in (
        Resource(attributes=[KeyValue(key="a", value=nested)]),
        Resource(attributes=[KeyValue(key="a", value=AnyValue(array_value=ArrayValue(values=[nested, value])))]),
    ):
        message = read(request([LogRecord(time_unix_nano=1)] * 1000, resource))
        assert message.message.row_bytes >= 0.9 * sum(map(len, native_block([message])))


def test_plain_values_count_as_in_the_request() -> None:
    resource = Resource(attributes=[KeyValue(key="a", value=AnyValue(string_value="\x01" * 100))])
    one = request([LogRecord()], resource)
    assert read(one).message.row_bytes == one.ByteSize()


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
    with pytest.raises(Undecodable) as raised:
        read(request([record]))
    assert raised.value.fault is Fault.too_large


def test_as_many_as_are_allowed_pass() -> None:
    text = LogRecord(body=AnyValue(string_value="x" * 100_000))
    assert len(read(request([LogRecord(body=array(MAX_NESTED_VALUES)), text]))) == 2
