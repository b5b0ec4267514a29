import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from schema.coordinates import Coordinates
from schema.envelope import Envelope, Undecodable
from schema.log_columns import LogColumns
from schema.otlp import decode_message

NOW = 1_700_000_000_000_000_000
ENVELOPE = Envelope(tenant_id=7, lane=2, cohort="r30", body_max_bytes=16, received_at=NOW)
AT = Coordinates(topic_epoch=3, partition=1, offset=42)


def decode(*records: LogRecord, envelope: Envelope = ENVELOPE) -> LogColumns:
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])])
    return decode_message(request.SerializeToString(), envelope, AT)


def attribute(key: str, text: str) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(string_value=text))


def test_every_column_of_a_record() -> None:
    record = LogRecord(
        time_unix_nano=NOW - 5,
        observed_time_unix_nano=NOW - 3,
        severity_number=SeverityNumber.SEVERITY_NUMBER_ERROR,
        severity_text="ERROR",
        body=AnyValue(string_value="it broke"),
        attributes=[attribute("k", "v")],
        trace_id=bytes(range(16)),
        span_id=bytes(range(8)),
        flags=1,
        event_name="checkout.failed",
    )
    resource_logs = ResourceLogs(
        resource=Resource(attributes=[attribute("service.name", "checkout"), attribute("host.name", "a")]),
        scope_logs=[ScopeLogs(scope=InstrumentationScope(name="lib", version="1.2"), log_records=[record])],
    )
    raw = ExportLogsServiceRequest(resource_logs=[resource_logs]).SerializeToString()
    assert decode_message(raw, ENVELOPE, AT) == LogColumns(
        tenant_id=[7],
        cohort=["r30"],
        timestamp=[NOW - 5],
        id=[AT.first_record_id],
        observed_timestamp=[NOW - 3],
        severity_number=[17],
        severity_text=["ERROR"],
        service=["checkout"],
        body=["it broke"],
        body_truncated_bytes=[0],
        attributes=[{"k": "v"}],
        attribute_types=["s"],
        resource=[{"service.name": "checkout", "host.name": "a"}],
        resource_types=["ss"],
        scope_name=["lib"],
        scope_version=["1.2"],
        trace_id=[bytes(range(16))],
        span_id=[bytes(range(8))],
        flags=[1],
        event_name=["checkout.failed"],
    )


def test_ids_count_on_across_resources_and_scopes() -> None:
    two = ScopeLogs(log_records=[LogRecord(), LogRecord()])
    request = ExportLogsServiceRequest(
        resource_logs=[ResourceLogs(scope_logs=[two, two]), ResourceLogs(scope_logs=[two])]
    )
    columns = decode_message(request.SerializeToString(), ENVELOPE, AT)
    assert columns.id == [AT.first_record_id + index for index in range(6)]
    assert {len(column) for column in columns.lists()} == {6}


def test_time_is_observed_or_arrival_where_there_is_none() -> None:
    columns = decode(LogRecord(), LogRecord(observed_time_unix_nano=NOW - 1), LogRecord(time_unix_nano=NOW - 2))
    assert columns.timestamp == [NOW, NOW - 1, NOW - 2]
    assert columns.observed_timestamp == [NOW, NOW - 1, NOW]


def test_times_beyond_the_column_are_its_end() -> None:
    columns = decode(LogRecord(time_unix_nano=2**64 - 1, observed_time_unix_nano=2**64 - 1))
    assert columns.timestamp == columns.observed_timestamp == [2**63 - 1]


@pytest.mark.parametrize(("number", "kept"), [(0, 0), (1, 1), (24, 24), (25, 0), (-1, 0), (2**31 - 1, 0)])
def test_severities_out_of_range_are_unspecified(number: int, kept: int) -> None:
    columns = decode(LogRecord(severity_number=SeverityNumber.ValueType(number), severity_text="odd"))
    assert columns.severity_number == [kept]
    assert columns.severity_text == ["odd"]


def test_ids_of_the_wrong_length_are_none() -> None:
    columns = decode(LogRecord(trace_id=b"short", span_id=bytes(9)), LogRecord(trace_id=b"\1" * 16, span_id=b"\2" * 8))
    assert columns.trace_id == [bytes(16), b"\1" * 16]
    assert columns.span_id == [bytes(8), b"\2" * 8]


def test_a_long_body_is_cut_and_the_loss_counted() -> None:
    columns = decode(LogRecord(body=AnyValue(string_value="x" * 20)), LogRecord(body=AnyValue(int_value=5)))
    assert columns.body == ["x" * 16, "5"]
    assert columns.body_truncated_bytes == [4, 0]


def _cut(text: str, limit: int) -> tuple[list[str], list[int]]:
    record = LogRecord(body=AnyValue(string_value=text))
    columns = decode(record, envelope=Envelope(7, 2, "r30", body_max_bytes=limit, received_at=NOW))
    return columns.body, columns.body_truncated_bytes


@given(st.text(max_size=50), st.integers(1, 60))
def test_a_cut_ends_at_a_character_and_adds_up(text: str, limit: int) -> None:
    [kept], [lost] = _cut(text, limit)
    assert text.startswith(kept)
    assert len(kept.encode()) <= limit
    assert len(kept.encode()) + lost == len(text.encode())
    # One more character would not have fitted.
    assert kept == text or len(text[: len(kept) + 1].encode()) > limit


def test_bytes_that_are_no_request_are_undecodable() -> None:
    for raw in (b"\xff\xff", b"\x0a\x05abc"):
        with pytest.raises(Undecodable):
            decode_message(raw, ENVELOPE, AT)


def test_text_that_is_not_utf8_has_replacement_characters() -> None:
    record = LogRecord(severity_text="MARK").SerializeToString().replace(b"MARK", b"\xff\xff\xff\xff")
    scope = b"\x12" + bytes([len(record)]) + record
    resource = b"\x12" + bytes([len(scope)]) + scope
    columns = decode_message(b"\x0a" + bytes([len(resource)]) + resource, ENVELOPE, AT)
    assert columns.severity_text == ["\ufffd" * 4]


@given(st.binary(max_size=200))
def test_any_bytes_decode_or_are_undecodable(raw: bytes) -> None:
    try:
        columns = decode_message(raw, ENVELOPE, AT)
    except Undecodable:
        return
    assert len({len(column) for column in columns.lists()}) == 1
