import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber

from ingest.receiver.otlp_json import read_json
from kit.errors import InvalidRequest, TooLarge
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import decode_message

TRACE = "5b8efff798038103d269b633813fc60c"
SPAN = "eee19b7ec3c1b174"

MAX_MESSAGES = 1_000_000
MAX_PARTS = 3_000_000
"""Limits of native/src/json_limits.rs and docs/operations/receiver.md."""


def parsed(body: bytes) -> ExportLogsServiceRequest:
    return ExportLogsServiceRequest.FromString(read_json(body)[0])


def read(record: dict[str, Any]) -> LogRecord:
    document = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    return parsed(json.dumps(document).encode()).resource_logs[0].scope_logs[0].log_records[0]


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
    value, found = read_json(body)
    [record] = ExportLogsServiceRequest.FromString(value).resource_logs[0].scope_logs[0].log_records
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
    with pytest.raises(TooLarge, match="this one has more"):
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"key":"a","key":"b"}', KeyValue(key="b")),
        (b'{"key":"a","value":{"stringValue":"x"},"key":null}', KeyValue(value=AnyValue(string_value="x"))),
        (
            b'{"value":{"arrayValue":{"values":[{}]}},"key":"k","value":{"intValue":1,"intValue":"2"}}',
            KeyValue(key="k", value=AnyValue(int_value=2)),
        ),
    ],
)
def test_of_two_members_of_one_name_the_last_one_counts(text: bytes, expected: KeyValue) -> None:
    body = b'{"resourceLogs":[{"resource":{"attributes":[%b]}}]}' % text
    assert parsed(body).resource_logs[0].resource.attributes[0] == expected


SAMPLES: dict[int, tuple[object, object]] = {
    FieldDescriptor.TYPE_STRING: ("text", "text"),
    FieldDescriptor.TYPE_BYTES: ("AP8=", b"\x00\xff"),
    FieldDescriptor.TYPE_BOOL: (True, True),
    FieldDescriptor.TYPE_DOUBLE: (-1.5, -1.5),
    FieldDescriptor.TYPE_INT32: (-7, -7),
    FieldDescriptor.TYPE_INT64: ("-9007199254740993", -9007199254740993),
    FieldDescriptor.TYPE_UINT32: (7, 7),
    FieldDescriptor.TYPE_FIXED32: (8, 8),
    FieldDescriptor.TYPE_FIXED64: ("9", 9),
    FieldDescriptor.TYPE_ENUM: (10, 10),
}
"""A value of each type, in JSON and in Python."""


def fields_below(
    descriptor: Descriptor, path: tuple[FieldDescriptor, ...] = ()
) -> Iterator[tuple[FieldDescriptor, ...]]:
    """Yields the paths to all fields. Enters each type of message once."""
    for field in descriptor.fields:
        within = field.message_type
        if within is None:
            yield (*path, field)
        elif within not in {each.message_type for each in path}:
            yield from fields_below(within, (*path, field))


@pytest.mark.parametrize("name", ["name", "camelcase_name"])
def test_every_field_of_the_protocol_is_read_by_either_of_its_names(name: str) -> None:
    paths = list(fields_below(ExportLogsServiceRequest.DESCRIPTOR))
    assert len(paths) > 50
    for path in paths:
        is_id = path[-1].name in {"trace_id", "span_id"}
        document, expected = ("00ff", b"\x00\xff") if is_id else SAMPLES[path[-1].type]
        for field in reversed(path):
            document = {getattr(field, name): [document] if field.is_repeated else document}
        found: Any = parsed(json.dumps(document).encode())
        for field in path:
            found = getattr(found, field.name)
            found = found[0] if field.is_repeated else found
        assert found == expected, [field.full_name for field in path]


@pytest.mark.parametrize(("name", "number"), SeverityNumber.items())
def test_a_severity_may_be_a_name_of_the_protocol(name: str, number: int) -> None:
    assert read({"severityNumber": name}).severity_number == number


def test_an_error_says_what_is_wrong_and_what_is_allowed() -> None:
    with pytest.raises(InvalidRequest, match=r'^timeUnixNano is "soon"; it must be a whole number from 0 to 184467'):
        read({"timeUnixNano": "soon"})
    named = (
        r'^severityNumber is "warn"; it must be a whole number from 0 to 24, or a name such as SEVERITY_NUMBER_INFO$'
    )
    with pytest.raises(InvalidRequest, match=named):
        read({"severityNumber": "warn"})
    with pytest.raises(InvalidRequest, match=r"^attributes is a JSON object; it must be a JSON array$"):
        read({"attributes": {}})
    with pytest.raises(InvalidRequest, match=r"^a value of attributes is null; it must be a JSON object$"):
        read({"attributes": [None]})
    with pytest.raises(InvalidRequest, match=r'^spanId is "z{40}"…; it must be a text of hexadecimal digits$'):
        read({"spanId": "z" * 5000})
