"""Tests of POST /v1/logs on a running receiver: the answers, and the stored rows."""

import gzip
import json
import time
import uuid
import zlib
from collections.abc import Callable

import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from tests import otlp
from tests.ingest.exports import post
from tests.ingest.stored import stored_rows
from tests.running_stack import Stack

TRACE = "5b8efff798038103d269b633813fc60c"
SPAN = "eee19b7ec3c1b174"

BOMB = 64 * 2**20
"""Bytes of a body after decompression: four times as many as a receiver reads."""


def request(*records: LogRecord) -> bytes:
    service = KeyValue(key="service.name", value=AnyValue(string_value="checkout"))
    resource_logs = ResourceLogs(resource=Resource(attributes=[service]), scope_logs=[ScopeLogs(log_records=records)])
    return ExportLogsServiceRequest(resource_logs=[resource_logs]).SerializeToString()


def record(body: str, time_ns: int) -> LogRecord:
    return LogRecord(time_unix_nano=time_ns, body=AnyValue(string_value=body))


@pytest.mark.parametrize(
    ("encoding", "compress"), [("identity", bytes), ("gzip", gzip.compress), ("deflate", zlib.compress)]
)
def test_protobuf_is_stored_once(stack: Stack, encoding: str, compress: Callable[[bytes], bytes]) -> None:
    marker, now = uuid.uuid4().hex, time.time_ns()
    content = request(*(record(f"{marker} {number}", now + number) for number in range(50)))
    assert post(stack, compress(content), **{"content-encoding": encoding}).status_code == 200
    rows = stored_rows(stack, marker, 50)
    assert [row["body"] for row in rows] == [f"{marker} {number}" for number in range(50)]
    assert [row["time_ns"] for row in rows] == [now + number for number in range(50)]
    assert {row["service"] for row in rows} == {"checkout"}
    assert len({row["id"] for row in rows}) == 50


def test_json_keeps_ids_and_large_numbers(stack: Stack) -> None:
    marker, now = uuid.uuid4().hex, time.time_ns()
    attributes = [
        {"key": "big", "value": {"intValue": "9007199254740993"}},
        {"key": "list", "value": {"arrayValue": {"values": [{"intValue": 9007199254740993}, {"boolValue": True}]}}},
    ]
    fields = {"severityNumber": 17, "traceId": TRACE, "spanId": SPAN, "attributes": attributes, "unknown": [1]}
    content = json.dumps(otlp.request(otlp.record(marker, now, **fields))).encode()
    answer = post(stack, content, "application/json")
    assert (answer.status_code, answer.json()) == (200, {})
    (row,) = stored_rows(stack, marker, 1)
    assert (row["trace"].lower(), row["span"].lower(), row["severity_number"]) == (TRACE, SPAN, 17)
    assert row["attributes"] == {"big": "9007199254740993", "list": "[9007199254740993,true]"}
    assert row["attribute_types"] == "ij"


def test_a_long_body_is_cut_and_a_record_without_time_gets_one(stack: Stack) -> None:
    marker, before = uuid.uuid4().hex, time.time_ns()
    body = marker + "ä" * 3000
    assert post(stack, request(record(body, 0))).status_code == 200
    (row,) = stored_rows(stack, marker, 1)
    assert row["body"] == body[: len(row["body"])]
    assert len(row["body"].encode()) == 4096
    assert row["body_truncated_bytes"] == len(body.encode()) - 4096
    assert before <= row["time_ns"] == row["observed_ns"] <= time.time_ns()


def test_records_outside_the_window_are_refused_one_by_one(stack: Stack) -> None:
    marker, now = uuid.uuid4().hex, time.time_ns()
    day, hour = 86_400 * 10**9, 3600 * 10**9
    times = (now - 4000 * day, now, now + 2 * hour, now - hour)
    answer = post(stack, request(*(record(marker, each) for each in times)))
    partial = ExportLogsServiceResponse.FromString(answer.content).partial_success
    assert (answer.status_code, partial.rejected_log_records) == (200, 2)
    assert partial.error_message
    assert [row["time_ns"] for row in stored_rows(stack, marker, 2)] == [now - hour, now]


@pytest.mark.parametrize(
    ("headers", "code", "grpc_code"),
    [
        ({"authorization": "Bearer nobody"}, 401, 16),
        ({"content-type": "text/plain"}, 415, 3),
        ({"content-encoding": "gzip"}, 400, 3),
    ],
)
def test_refusals_say_why(stack: Stack, headers: dict[str, str], code: int, grpc_code: int) -> None:
    marker = uuid.uuid4().hex
    answer = post(stack, request(record(marker, time.time_ns())), **headers)
    assert answer.status_code == code
    is_json = answer.headers["content-type"] == "application/json"
    status = json.loads(answer.text)["code"] if is_json else Status.FromString(answer.content).code
    assert status == grpc_code


def test_a_query_key_may_not_send(stack: Stack) -> None:
    answer = post(stack, request(), authorization=f"Bearer {stack.keys.query_key}")
    assert answer.status_code == 403


def test_a_decompression_bomb_is_too_large(stack: Stack) -> None:
    answer = post(stack, gzip.compress(bytes(BOMB), 1), **{"content-encoding": "gzip"})
    assert answer.status_code == 413
    assert "retry-after" not in answer.headers


def test_an_empty_request_is_fine(stack: Stack) -> None:
    assert post(stack, b"").status_code == 200
