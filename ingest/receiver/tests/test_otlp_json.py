import base64
import json
from typing import Any

import orjson
import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ingest.receiver.otlp_json import MAX_MESSAGES, MAX_PARTS, read_json
from kit.errors import InvalidRequest, TooLarge
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import decode_message

TRACE = "5b8efff798038103d269b633813fc60c"
SPAN = "eee19b7ec3c1b174"


def read(record: dict[str, Any]) -> LogRecord:
    document = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    return read_json(json.dumps(document).encode())[0].resource_logs[0].scope_logs[0].log_records[0]


def test_a_record_as_the_specification_shows_it() -> None:
    record = read(
        {
            "timeUnixNano": "1544712660300000000",
            "observedTimeUnixNano": 1544712660300000001,
            "severityNumber": 10,
            "severityText": "Information",
            "traceId": TRACE.upper(),
            "spanId": SPAN,
            "body": {"stringValue": "Example log record"},
            "notInTheProtocol": {"traceId": 5},
            "attributes": [
                {"key": "int", "value": {"intValue": "9007199254740993"}},
                {"key": "bytes", "value": {"bytesValue": "AP8="}},
                {"key": "list", "value": {"arrayValue": {"values": [{"boolValue": True}, {"doubleValue": 1.5}]}}},
            ],
        }
    )
    assert record == LogRecord(
        time_unix_nano=1544712660300000000,
        observed_time_unix_nano=1544712660300000001,
        severity_number=SeverityNumber.SEVERITY_NUMBER_INFO2,
        severity_text="Information",
        trace_id=bytes.fromhex(TRACE),
        span_id=bytes.fromhex(SPAN),
        body=AnyValue(string_value="Example log record"),
        attributes=[
            KeyValue(key="int", value=AnyValue(int_value=9007199254740993)),
            KeyValue(key="bytes", value=AnyValue(bytes_value=b"\x00\xff")),
            KeyValue(
                key="list",
                value=AnyValue(array_value=ArrayValue(values=[AnyValue(bool_value=True), AnyValue(double_value=1.5)])),
            ),
        ],
    )


@pytest.mark.parametrize("text", ["_-8=", "/+8=", "/+8"])
def test_bytes_may_be_base64_of_either_alphabet(text: str) -> None:
    assert read({"body": {"bytesValue": text}}).body.bytes_value == b"\xff\xef"


@pytest.mark.parametrize("absent", ["", None])
def test_an_empty_id_is_none(absent: str | None) -> None:
    assert read({"traceId": absent, "spanId": absent}) == LogRecord()


@pytest.mark.parametrize(
    "record",
    [
        {"traceId": "x" * 32},
        {"traceId": " " + TRACE[1:]},
        {"traceId": base64.b64encode(b"not hex").decode()},
        {"traceId": 5},
        {"timeUnixNano": "-1"},
        {"timeUnixNano": 2**64},
        {"timeUnixNano": "soon"},
        {"timeUnixNano": {}},
        {"body": "text"},
        {"body": {"stringValue": 5}},
        {"body": {"intValue": 2**63}},
        {"body": {"stringValue": "a", "intValue": 1}},
        {"body": {"bytesValue": "?"}},
        {"body": {"bytesValue": "AAAAA"}},
        {"body": {"bytesValue": 5}},
        {"body": []},
        {"body": {"arrayValue": {"values": "text"}}},
        {"attributes": {"a": 1}},
        {"attributes": [None]},
        {"attributes": [{"key": 1}]},
        {"severityNumber": 1.5},
        {"flags": -1},
    ],
)
def test_a_malformed_record_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        read(record)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"5",
        b"null",
        b"NaN",
        b'{"resourceLogs": NaN}',
        b'{"resourceLogs": {}}',
        b'{"resourceLogs": [[]]}',
        b'{"resourceLogs": [{"scopeLogs": [{"logRecords": [5]}]}]}',
        b'{"resourceLogs": \xff}',
    ],
)
def test_what_is_no_request_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidRequest):
        read_json(body)


@pytest.mark.parametrize(
    ("text", "read_as", "replaced"),
    [
        (b"a\xffb\xc3", "a\ufffdb\ufffd", 2),
        (b"cut \\ud83d", "cut \ufffd", 1),
        (b"\\ud83d\\ude00 \\\\ud83d \\ude00\\n", "\U0001f600 \\ud83d \ufffd\n", 1),
        (b"\\ud83d\\ud83d\\ude00\\ud83dx", "\ufffd\U0001f600\ufffdx", 2),
        (b"\\uD83D\\uDE00\xf0\x9f\x98", "\U0001f600\ufffd", 1),
    ],
)
def test_what_is_no_text_is_replaced(text: bytes, read_as: str, replaced: int) -> None:
    body = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityText":"%b","eventName":"kept"}]}]}]}' % text
    request, found = read_json(body)
    [record] = request.resource_logs[0].scope_logs[0].log_records
    assert (record.severity_text, record.event_name, found) == (read_as, "kept", replaced)


@pytest.mark.parametrize(
    ("hexadecimal", "expected"),
    [("", b""), (TRACE[:-2], bytes.fromhex(TRACE[:-2])), (TRACE[:-1], b""), (TRACE + "0", b""), ("00" * 17, bytes(17))],
)
def test_an_id_of_another_length_is_read_as_protobuf_has_it(hexadecimal: str, expected: bytes) -> None:
    assert read({"traceId": hexadecimal, "spanId": hexadecimal}) == LogRecord(trace_id=expected, span_id=expected)


@pytest.mark.parametrize("number", [25, -1, 2**31, "-2147483649", 2**63, -(2**70), 1e300, -1e300])
def test_a_severity_out_of_range_stays_out_of_range(number: float | str) -> None:
    assert not 0 <= read({"severityNumber": number}).severity_number <= 24


@pytest.mark.parametrize("depth", [60, 300, 5_000, 500_000])
@pytest.mark.parametrize(("opening", "closing"), [('{"arrayValue":{"values":[', "]}}"), ("[", "]")])
def test_a_nesting_bomb_is_refused(depth: int, opening: str, closing: str) -> None:
    body = opening * depth + closing * depth
    text = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":' + body + "}]}]}]}"
    with pytest.raises(InvalidRequest):
        read_json(text.encode())


def test_a_crowd_of_empty_parts_is_too_large() -> None:
    records = b",".join([b"{}"] * (MAX_MESSAGES + 1))
    with pytest.raises(TooLarge):
        read_json(b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[' + records + b"]}]}]}")


def test_a_crowd_of_empty_lists_is_too_large_before_it_is_read() -> None:
    crowd = b",".join([b"[]"] * (MAX_PARTS // 2 + 1))
    with pytest.raises(TooLarge, match="this one has"):
        read_json(b'{"unknown":[' + crowd + b"]}")
    text = b"[],{}," * (MAX_PARTS // 6)
    assert read_json(b'{"unknown":["' + text + b'","\\\\","\\"' + text + b'"]}')[1] == 0


def test_what_is_nested_just_allowed_can_be_read_from_kafka() -> None:
    allowed = 0
    for depth in range(30, 60):
        value: dict[str, Any] = {"stringValue": "deep"}
        for _ in range(depth):
            value = {"arrayValue": {"values": [value]}}
        try:
            record = read({"body": value})
        except InvalidRequest:
            continue
        allowed = depth
        envelope = Envelope(tenant_id=1, lane=0, cohort="r30", body_max_bytes=1000, received_at=5)
        request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])])
        columns = decode_message(request.SerializeToString(), envelope, Coordinates(1, 2, 3))
        assert columns.body == ["[" * depth + '"deep"' + "]" * depth]
    assert 40 <= allowed < 59


NAMES = [
    "resourceLogs", "scopeLogs", "logRecords", "traceId", "trace_id", "spanId", "body", "attributes", "key", "value",
    "stringValue", "intValue", "bytesValue", "arrayValue", "values", "kvlistValue", "severityNumber", "timeUnixNano",
]  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner),
    max_leaves=12,
)


def in_a_request(value: object) -> object:
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [value]}]}]}


@given(json_values | json_values.map(in_a_request))
def test_any_json_is_read_or_refused(document: object) -> None:
    try:
        read_json(orjson.dumps(document))
    except InvalidRequest:
        return


any_values = st.recursive(
    st.builds(AnyValue, string_value=st.text(max_size=8))
    | st.builds(AnyValue, int_value=st.integers(-(2**63), 2**63 - 1))
    | st.builds(AnyValue, double_value=st.floats(allow_nan=False))
    | st.builds(AnyValue, bool_value=st.booleans())
    | st.builds(AnyValue, bytes_value=st.binary(max_size=8))
    | st.builds(AnyValue),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda values: AnyValue(array_value=ArrayValue(values=values)))
        | st.lists(st.builds(KeyValue, key=st.text(max_size=3), value=inner), max_size=3).map(
            lambda pairs: AnyValue(kvlist_value=KeyValueList(values=pairs))
        )
    ),
    max_leaves=6,
)
attributes = st.lists(st.builds(KeyValue, key=st.text(max_size=4), value=any_values), max_size=4)
records = st.builds(
    LogRecord,
    time_unix_nano=st.integers(0, 2**64 - 1),
    observed_time_unix_nano=st.integers(0, 2**64 - 1),
    severity_number=st.sampled_from(list(SeverityNumber.values())),
    severity_text=st.text(max_size=5),
    body=any_values,
    attributes=attributes,
    flags=st.integers(0, 2**32 - 1),
    trace_id=st.just(b"") | st.binary(min_size=16, max_size=16),
    span_id=st.just(b"") | st.binary(min_size=8, max_size=8),
    event_name=st.text(max_size=5),
)
requests = st.builds(
    lambda resource, kept: ExportLogsServiceRequest(
        resource_logs=[ResourceLogs(resource=Resource(attributes=resource), scope_logs=[ScopeLogs(log_records=kept)])]
    ),
    attributes,
    st.lists(records, max_size=3),
)


def otlp_json(request: ExportLogsServiceRequest) -> bytes:
    """The request as an OTLP sender writes it: protobuf's JSON with ids in hex and enums as numbers."""
    document = MessageToDict(request, use_integers_for_enums=True)
    for resource_logs in document.get("resourceLogs", []):
        for scope_logs in resource_logs.get("scopeLogs", []):
            for record in scope_logs.get("logRecords", []):
                for name in ("traceId", "spanId"):
                    if name in record:
                        record[name] = base64.b64decode(record[name]).hex()
    return orjson.dumps(document)


@given(requests)
def test_json_and_protobuf_make_the_same_rows(request: ExportLogsServiceRequest) -> None:
    envelope = Envelope(tenant_id=1, lane=0, cohort="r30", body_max_bytes=10, received_at=5)
    at = Coordinates(1, 2, 3)
    from_protobuf = decode_message(request.SerializeToString(), envelope, at)
    from_json = decode_message(read_json(otlp_json(request))[0].SerializeToString(), envelope, at)
    assert from_json == from_protobuf
