"""Tests of the official OpenTelemetry SDK over both transports, and of the errors of gRPC calls."""

import time
import uuid
from typing import cast

import grpc
import pytest
from google.rpc.status_pb2 import Status
from opentelemetry._logs import SeverityNumber
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

from tests.ingest.exports import call
from tests.ingest.stored import stored_rows
from tests.ingest.urls import grpc_endpoint, http_url
from tests.running_stack import Stack


def exporter(stack: Stack, transport: str) -> GrpcExporter | HttpExporter:
    headers = {"authorization": f"Bearer {stack.keys.ingest_key}"}
    if transport == "grpc":
        return GrpcExporter(
            endpoint=grpc_endpoint(stack), headers=headers, insecure=True, compression=grpc.Compression.Gzip
        )
    return HttpExporter(endpoint=http_url(stack), headers=headers)


@pytest.mark.parametrize("transport", ["grpc", "http"])
def test_the_official_sdk_works_unchanged(stack: Stack, transport: str) -> None:
    marker = uuid.uuid4().hex
    provider = LoggerProvider(Resource.create({"service.name": "sdk-shop"}))
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter(stack, transport)))
    logger = provider.get_logger("checkout", "1.0")
    for number in range(20):
        logger.emit(
            body=f"{marker} {number}",
            severity_number=SeverityNumber.WARN,
            severity_text="WARN",
            attributes={"number": number, "even": number % 2 == 0},
            event_name="order.placed",
        )
    provider.shutdown()
    rows = stored_rows(stack, marker, 20)
    assert {row["body"] for row in rows} == {f"{marker} {number}" for number in range(20)}
    assert {(row["service"], row["scope_name"], row["scope_version"]) for row in rows} == {
        ("sdk-shop", "checkout", "1.0")
    }
    assert {(row["severity_number"], row["severity_text"]) for row in rows} == {(13, "WARN")}
    for row in rows:
        number = int(row["body"].split()[1])
        assert row["attributes"] == {"number": str(number), "even": "true" if number % 2 == 0 else "false"}


def test_partial_success_over_grpc(stack: Stack) -> None:
    marker, now = uuid.uuid4().hex, time.time_ns()
    records = [LogRecord(time_unix_nano=each, body=AnyValue(string_value=marker)) for each in (now, 1)]
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])])
    answer = call(grpc_endpoint(stack), request.SerializeToString(), stack.keys.ingest_key)
    assert answer.partial_success.rejected_log_records == 1
    assert [row["time_ns"] for row in stored_rows(stack, marker, 1)] == [now]


@pytest.mark.parametrize(
    ("content", "key_of", "code", "detailed"),
    [
        (b"", None, grpc.StatusCode.UNAUTHENTICATED, True),
        (b"", "query_key", grpc.StatusCode.PERMISSION_DENIED, True),
        (b"\xff", "ingest_key", grpc.StatusCode.INVALID_ARGUMENT, True),
        # gRPC itself refuses this request, before the receiver's code, which would add the details.
        (bytes(17 * 2**20), "ingest_key", grpc.StatusCode.RESOURCE_EXHAUSTED, False),
    ],
)
def test_grpc_errors(stack: Stack, content: bytes, key_of: str | None, code: grpc.StatusCode, detailed: bool) -> None:
    key = None if key_of is None else getattr(stack.keys, key_of)
    with pytest.raises(grpc.RpcError) as raised:
        call(grpc_endpoint(stack), content, key)
    # The raised RpcError is also a Call, which the type stubs do not declare.
    error = cast(grpc.Call, raised.value)
    assert error.code() is code
    details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
    assert (details is not None) == detailed
    if isinstance(details, bytes):
        assert Status.FromString(details).code == code.value[0]
