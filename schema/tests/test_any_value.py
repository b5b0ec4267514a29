import json

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import decode_message


def attributes_as_text(pairs: list[KeyValue]) -> tuple[dict[str, str], str]:
    record = LogRecord(attributes=pairs)
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])])
    columns = decode_message(request.SerializeToString(), Envelope(1, 0, "r30", 4096, 1), Coordinates(1, 1, 1))
    return columns.attributes[0], columns.attribute_types[0]


def as_text(value: AnyValue) -> tuple[str, str]:
    texts, letters = attributes_as_text([KeyValue(key="k", value=value)])
    return texts["k"], letters


@pytest.mark.parametrize(
    ("value", "text", "letter"),
    [
        (AnyValue(string_value="a\0b"), "a\0b", "s"),
        (AnyValue(string_value=""), "", "s"),
        (AnyValue(int_value=-(2**63)), "-9223372036854775808", "i"),
        (AnyValue(double_value=0.1), "0.1", "d"),
        (AnyValue(double_value=1.0), "1.0", "d"),
        (AnyValue(double_value=float("nan")), "NaN", "d"),
        (AnyValue(double_value=float("inf")), "Infinity", "d"),
        (AnyValue(double_value=float("-inf")), "-Infinity", "d"),
        (AnyValue(bool_value=True), "true", "b"),
        (AnyValue(bool_value=False), "false", "b"),
        (AnyValue(bytes_value=b"\x00\xff"), "AP8=", "x"),
        (AnyValue(array_value=ArrayValue()), "[]", "j"),
        (AnyValue(kvlist_value=KeyValueList()), "{}", "j"),
        (AnyValue(), "", "n"),
    ],
)
def test_a_value_is_text_with_a_letter(value: AnyValue, text: str, letter: str) -> None:
    assert as_text(value) == (text, letter)


def test_nested_values_are_compact_json_that_keeps_every_digit() -> None:
    values = [
        AnyValue(int_value=2**53 + 1),
        AnyValue(double_value=1.5),
        AnyValue(double_value=float("nan")),
        AnyValue(bytes_value=b"\xff"),
        AnyValue(bool_value=True),
        AnyValue(),
        AnyValue(kvlist_value=KeyValueList(values=[KeyValue(key="ä", value=AnyValue(string_value='"'))])),
    ]
    text, letter = as_text(AnyValue(array_value=ArrayValue(values=values)))
    assert text == '[9007199254740993,1.5,"NaN","/w==",true,null,{"ä":"\\""}]'
    assert json.loads(text)[0] == 2**53 + 1
    assert letter == "j"


def test_the_last_value_of_a_repeated_key_counts() -> None:
    pairs = [
        KeyValue(key="a", value=AnyValue(int_value=1)),
        KeyValue(key="b", value=AnyValue(bool_value=True)),
        KeyValue(key="a", value=AnyValue(string_value="x")),
    ]
    assert attributes_as_text(pairs) == ({"a": "x", "b": "true"}, "sb")
