"""Tests that the text that native code writes of any message is the one that the API's JSON has."""

from contextlib import suppress

import orjson
import pytest
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from backend.logs.record_json import MIN_BODY_BYTES, json_text, packed, spliced
from backend.logs.records import document
from logsieve_native import Message, Rows
from schema.columns import PackedRecord, StoredRecord
from schema.tests.otlp_messages import Messages

MESSAGES = 400
TIME_NS = 1_700_000_000_123_456_789


def decoded(raw: bytes) -> list[tuple[StoredRecord, str]]:
    """Returns the rows of a message, and the text of each. Raises ValueError where it is no request."""
    rows = Rows()
    rows.append(Message(raw, TIME_NS), 1, "r30", 65_536, 7 << 40)
    columns = zip(*(rows.column(name) for name in StoredRecord._fields), strict=True)
    return list(zip(map(StoredRecord._make, columns), rows.column("record_json"), strict=True))


def with_large_bodies(raw: bytes) -> bytes:
    """Returns the request with bodies that are just large enough for a text. Raises DecodeError where it is none."""
    request = ExportLogsServiceRequest.FromString(raw)
    for each in request.resource_logs:
        for scope in each.scope_logs:
            for record in scope.log_records:
                record.body.CopyFrom(AnyValue(string_value="b" * MIN_BODY_BYTES))
    return request.SerializeToString()


def of_bodies(*bodies: str) -> list[tuple[StoredRecord, str]]:
    records = [LogRecord(time_unix_nano=TIME_NS, body=AnyValue(string_value=body)) for body in bodies]
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])])
    return decoded(request.SerializeToString())


@pytest.mark.parametrize("seed", [5, 6])
def test_odd_records_have_the_text_that_the_api_writes(seed: int) -> None:
    messages, seen = Messages(seed), 0
    for _ in range(MESSAGES):
        raw = messages.any()
        try:
            found = decoded(raw)
        except ValueError:
            continue
        with suppress(ValueError, DecodeError):  # some messages are only read by native code
            found += decoded(with_large_bodies(raw))
        for record, text in found:
            assert text == packed(record).record_json
            if text:
                seen += 1
                read = PackedRecord(record.timestamp, record.id, record.body, text)
                assert spliced(read) == orjson.dumps(document(record))
    assert seen > MESSAGES / 4


def test_records_with_large_bodies_have_a_text() -> None:
    sizes = [0, MIN_BODY_BYTES - 1, MIN_BODY_BYTES, 4 * MIN_BODY_BYTES]
    found = of_bodies(*("x" * size for size in sizes), "é" * (MIN_BODY_BYTES // 2))
    assert [text != "" for _, text in found] == [False, False, True, True, True]


def test_a_row_has_no_text_that_would_be_very_long() -> None:
    record = of_bodies("x" * MIN_BODY_BYTES)[0][0]
    assert packed(record._replace(event_name="e" * 20_000)).record_json == ""
    assert json_text(record._replace(event_name="e" * 20_000)) != b""
