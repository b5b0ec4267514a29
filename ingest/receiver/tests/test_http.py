import asyncio
import gzip
import json
from typing import Any

import httpx2
import pytest
from google.protobuf.json_format import Parse
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from ingest.receiver.http import http_app
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import BEARER, NOW, TENANT, Topic, intake
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.models import Purpose
from schema.envelope import Envelope

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
URL = "http://receiver/v1/logs"
SETTINGS = Settings(request_max_bytes=100_000, request_max_records=50, receiver_memory_bytes=1_000_000)


def request(*times: int, body: str = "hello") -> bytes:
    records = [LogRecord(time_unix_nano=time, body=AnyValue(string_value=body)) for time in times]
    return ExportLogsServiceRequest(
        resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])]
    ).SerializeToString()


def post(
    topic: Topic,
    content: bytes,
    content_type: str = PROTOBUF,
    settings: Settings = SETTINGS,
    headers: dict[str, str] | None = None,
) -> httpx2.Response:
    """Sends one export to a new app."""
    named = {"authorization": BEARER[Purpose.ingest], "content-type": content_type} | (headers or {})
    return call(topic, settings, httpx2.Request("POST", URL, headers=named, content=content))


def call(topic: Topic, settings: Settings, request: httpx2.Request) -> httpx2.Response:
    async def answer() -> httpx2.Response:
        budget = MemoryBudget(settings.receiver_memory_bytes)
        receiver = intake(topic, settings)
        app = http_app(settings, receiver, budget, {})
        try:
            async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as client:
                return await client.send(request)
        finally:
            receiver.close()

    return asyncio.run(answer())


def status_of(response: httpx2.Response) -> Status:
    if response.headers["content-type"] == PROTOBUF:
        return Status.FromString(response.content)
    return Parse(response.text, Status())


def test_protobuf_is_passed_on_byte_by_byte() -> None:
    topic = Topic()
    content = request(NOW, 0)
    response = post(topic, content)
    assert response.status_code == 200
    assert response.headers["content-type"] == PROTOBUF
    assert ExportLogsServiceResponse.FromString(response.content) == ExportLogsServiceResponse()
    assert topic.messages == [(Envelope(TENANT.id, TENANT.lane, TENANT.cohort, TENANT.body_max_bytes, NOW), content)]


def test_json_is_passed_on_as_protobuf() -> None:
    topic = Topic()
    record = {"timeUnixNano": str(NOW), "body": {"stringValue": "hello"}}
    content = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}).encode()
    response = post(topic, content, "application/json; charset=utf-8")
    assert (response.status_code, response.headers["content-type"], response.json()) == (200, JSON, {})
    assert [value for _, value in topic.messages] == [request(NOW)]


def test_compressed_and_large_bodies_take_the_same_way() -> None:
    topic = Topic()
    content = request(NOW, body="x" * 90_000)
    assert post(topic, gzip.compress(content), headers={"content-encoding": "gzip"}).status_code == 200
    assert post(topic, content).status_code == 200
    assert [value for _, value in topic.messages] == [content, content]


@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
def test_an_empty_request_is_fine_and_nothing_is_sent(content_type: str) -> None:
    topic = Topic()
    assert post(topic, b"" if content_type == PROTOBUF else b"{}", content_type).status_code == 200
    assert topic.messages == []


def test_refused_records_are_counted_and_the_rest_is_kept() -> None:
    topic = Topic()
    response = post(topic, request(NOW, 1, NOW + 1))
    partial = ExportLogsServiceResponse.FromString(response.content).partial_success
    assert (response.status_code, partial.rejected_log_records) == (200, 1)
    assert "1 record with a timestamp older than the tenant's retention" in partial.error_message
    assert [value for _, value in topic.messages] == [request(NOW, NOW + 1)]


def test_nothing_is_sent_where_all_records_are_refused() -> None:
    topic = Topic()
    content = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [{"timeUnixNano": "1"}]}]}]}).encode()
    response = post(topic, content, JSON)
    assert response.json()["partialSuccess"]["rejectedLogRecords"] == "1"
    assert topic.messages == []


@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
def test_unreachable_kafka_is_503_with_the_time_to_wait(content_type: str) -> None:
    topic = Topic(failure=Unavailable("Kafka did not take the request", retry_after=1.5))
    content = request(NOW) if content_type == PROTOBUF else b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}'
    response = post(topic, content, content_type)
    assert (response.status_code, response.headers["retry-after"]) == (503, "2")
    status = status_of(response)
    info = RetryInfo()
    assert status.details[0].Unpack(info)
    assert (status.code, info.retry_delay.ToMilliseconds()) == (14, 1500)


@pytest.mark.parametrize(
    ("changes", "code", "grpc_code"),
    [
        ({"content": b"\xff"}, 400, 3),
        ({"content": b"{", "content_type": JSON}, 400, 3),
        ({"content": b"no gzip", "headers": {"content-encoding": "gzip"}}, 400, 3),
        ({"headers": {"content-encoding": "br"}}, 415, 3),
        ({"content_type": "text/plain"}, 415, 3),
        ({"content_type": ""}, 415, 3),
        ({"content": bytes(100_001)}, 413, 8),
        ({"content": gzip.compress(bytes(100_001)), "headers": {"content-encoding": "gzip"}}, 413, 8),
        ({"content": request(*[NOW] * 51)}, 413, 8),
        ({"headers": {"authorization": ""}}, 401, 16),
        ({"headers": {"authorization": "Bearer "}}, 401, 16),
        ({"headers": {"authorization": "Basic " + BEARER[Purpose.ingest].split()[1]}}, 401, 16),
        ({"headers": {"authorization": "Bearer unknown"}}, 401, 16),
        ({"headers": {"authorization": BEARER[Purpose.query]}}, 403, 7),
        ({"headers": {"authorization": BEARER[Purpose.admin]}}, 403, 7),
    ],
)
def test_refusals_are_a_status_in_the_body(changes: dict[str, Any], code: int, grpc_code: int) -> None:
    topic = Topic()
    response = post(topic, **({"content": request(NOW)} | changes))
    assert (response.status_code, status_of(response).code) == (code, grpc_code)
    assert status_of(response).message
    assert "retry-after" not in response.headers
    assert topic.messages == []


def test_a_full_receiver_is_503() -> None:
    settings = SETTINGS.model_copy(update={"receiver_memory_bytes": 1000})
    response = post(Topic(), request(NOW, body="x" * 2000), settings=settings)
    assert (response.status_code, status_of(response).code) == (503, 14)


def test_a_tenant_with_too_much_under_way_is_429() -> None:
    settings = SETTINGS.model_copy(update={"receiver_memory_bytes": 3000})
    response = post(Topic(), request(NOW, body="x" * 2000), settings=settings)
    assert (response.status_code, response.headers["retry-after"], status_of(response).code) == (429, "1", 8)


def test_other_methods_are_not_allowed() -> None:
    response = call(Topic(), SETTINGS, httpx2.Request("PUT", URL))
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


def test_browsers_may_send_where_the_setting_says_so() -> None:
    def preflight(settings: Settings) -> httpx2.Headers:
        requested = {"origin": "https://shop.example", "access-control-request-method": "POST"}
        return call(Topic(), settings, httpx2.Request("OPTIONS", URL, headers=requested)).headers

    allowing = SETTINGS.model_copy(update={"otlp_cors_origins": "https://shop.example, https://other.example"})
    assert preflight(allowing)["access-control-allow-origin"] == "https://shop.example"
    assert "access-control-allow-origin" not in preflight(SETTINGS)


@pytest.mark.parametrize(
    ("method", "path", "code", "number"), [("GET", "/v1/logs", 405, 3), ("POST", "/v1/traces", 404, 5)]
)
@pytest.mark.parametrize("encoding", [JSON, PROTOBUF])
def test_other_paths_and_methods_are_refused_as_a_status(
    encoding: str, method: str, path: str, code: int, number: int
) -> None:
    headers = {"content-type": encoding}
    answer = call(Topic(), SETTINGS, httpx2.Request(method, f"http://receiver{path}", headers=headers))

    status = Parse(answer.text, Status()) if encoding == JSON else Status.FromString(answer.content)
    assert (answer.status_code, answer.headers["content-type"]) == (code, encoding)
    assert status.code == number
    assert path in status.message


def test_head_of_the_health_routes_is_answered() -> None:
    answer = call(Topic(), SETTINGS, httpx2.Request("HEAD", "http://receiver/healthz"))

    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize("path", ["/v1/logs/", "/v1/traces"])
def test_a_request_to_another_path_is_refused_and_not_redirected(path: str) -> None:
    headers = {"authorization": BEARER[Purpose.ingest], "content-type": JSON}
    wrong = httpx2.Request("POST", f"http://receiver{path}", headers=headers, content=b"{}")
    response = call(Topic(), SETTINGS, wrong)
    assert response.status_code == 404
    assert status_of(response).message == f"no such endpoint: {path}; send logs to /v1/logs"
