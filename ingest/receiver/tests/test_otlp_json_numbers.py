"""Tests which numbers OTLP/JSON may have: those of protobuf's JSON mapping, as JSON numbers and as texts."""

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from ingest.receiver.otlp_json import read_json
from kit.errors import InvalidRequest


def read(record: str) -> LogRecord:
    body = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[' + record + "]}]}]}"
    request = ExportLogsServiceRequest.FromString(read_json(body.encode())[0])
    return request.resource_logs[0].scope_logs[0].log_records[0]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1000", 1000),
        ("1e3", 1000),
        ("1E+3", 1000),
        ("1000.0", 1000),
        ("1.5e1", 15),
        ("1500e-2", 15),
        ("-2.50e1", -25),
        ("-0", 0),
        ("0e5", 0),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
    ],
)
def test_an_integer_may_have_a_fraction_and_an_exponent_if_it_is_whole(text: str, number: int) -> None:
    for written in (text, f'"{text}"'):
        assert read('{"body":{"intValue":%s}}' % written).body.int_value == number  # noqa: UP031


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("007", 7),
        ("9223372036854775807e0", 2**63 - 1),
        ("92233720368547758070e-1", 2**63 - 1),
        ("-9223372036854775808.0", -(2**63)),
    ],
)
def test_an_integer_in_a_text_is_read_exactly(text: str, number: int) -> None:
    assert read('{"body":{"intValue":"%s"}}' % text).body.int_value == number  # noqa: UP031


@pytest.mark.parametrize("severity", ["9", "9.0", "0.9e1", '"9"', '"9.0"', '"0.9e1"'])
def test_a_severity_may_be_any_whole_number(severity: str) -> None:
    assert read('{"severityNumber":%s}' % severity).severity_number == 9  # noqa: UP031


@pytest.mark.parametrize(
    "text", ["1.5", "1e-1", "-9223372036854775809", "-9223372036854775900", "9223372036854775808", "1e19", "-1e300"]
)
def test_an_integer_with_a_fraction_or_out_of_range_is_refused(text: str) -> None:
    for written in (text, f'"{text}"'):
        with pytest.raises(
            InvalidRequest, match=r"^intValue is .*; it must be a whole number from -9223372036854775808"
        ):
            read('{"body":{"intValue":%s}}' % written)  # noqa: UP031


@pytest.mark.parametrize("text", ["", "-", "1e", "e1", "1.", ".5e1", " 1", "1 ", "--1", "1e99999999999", "0x10", "1_0"])
def test_a_text_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(
        InvalidRequest, match=r"^timeUnixNano is .*; it must be a whole number from 0 to 184467440737095"
    ):
        read('{"timeUnixNano":"%s"}' % text)  # noqa: UP031


@pytest.mark.parametrize("number", ["-9223372036854775809", '"-9223372036854775809"', "2147483648.0", '"1e15"'])
def test_a_severity_out_of_range_refuses_only_its_record(number: str) -> None:
    assert not 0 <= read('{"severityNumber":%s}' % number).severity_number <= 24  # noqa: UP031


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9" * 400])
def test_a_number_beyond_all_doubles_is_json_and_refused(number: str) -> None:
    with pytest.raises(InvalidRequest, match=r"^the number at line 1 column \d+ of the body is out of range: .*1\.797"):
        read('{"body":{"doubleValue":%s}}' % number)  # noqa: UP031
