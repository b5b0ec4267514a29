"""Tests that a request with invalid records loses at most these records."""

import time
import uuid

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from tests.api_client import Api
from tests.ingest.exports import PROTOBUF, call, post
from tests.ingest.stored import stored_rows
from tests.ingest.urls import grpc_endpoint
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

NO_TEXT = b"\xc3(\xff"
"""Two byte sequences that are not UTF-8, with a bracket between them."""
STAND_IN = b"<->"
READ_AS = "\ufffd(\ufffd"

MANY = 300
"""Records of a request that have more distinct names together than a request may have, but not each."""


def pair(key: str, text: str) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(string_value=text))


def request(records: list[LogRecord], service: str = "checkout") -> ExportLogsServiceRequest:
    resource = Resource(attributes=[pair("service.name", service)])
    return ExportLogsServiceRequest(
        resource_logs=[ResourceLogs(resource=resource, scope_logs=[ScopeLogs(log_records=records)])]
    )


def send(stack: Stack, tenant: TenantKeys, transport: str, raw: bytes) -> ExportLogsServiceResponse:
    if transport == "grpc":
        return call(grpc_endpoint(stack), raw, tenant.ingest)
    answer = post(stack, raw, PROTOBUF, authorization=f"Bearer {tenant.ingest}")
    assert answer.status_code == 200, answer.content
    return ExportLogsServiceResponse.FromString(answer.content)


@pytest.fixture(scope="module")
def tenant(stack: Stack) -> TenantKeys:
    return new_tenant(stack, "kept")


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_text_that_is_no_utf8_is_searchable_with_what_is_around_it(
    stack: Stack, tenant: TenantKeys, transport: str
) -> None:
    marker, now, place = uuid.uuid4().hex, time.time_ns(), STAND_IN.decode()
    bad = LogRecord(
        time_unix_nano=now + 1, body=AnyValue(string_value=f"{marker} {place}"), attributes=[pair(f"k{place}", place)]
    )
    good = LogRecord(time_unix_nano=now, body=AnyValue(string_value=f"{marker} fine"))
    raw = request([good, bad], f"shop{place}").SerializeToString()
    assert raw.count(place.encode()) == 4
    answer = send(stack, tenant, transport, raw.replace(place.encode(), NO_TEXT))
    assert answer.partial_success.rejected_log_records == 0
    assert "8 byte sequences that are not UTF-8" in answer.partial_success.error_message
    stored_rows(stack, marker, 2)
    with Api(stack.api_url, tenant.query) as api:
        found = api.ok("/logs/search", query=f'"{marker}"')["logs"]
        assert [log["body"] for log in found] == [f"{marker} {READ_AS}", f"{marker} fine"]
        assert found[0]["attributes"] == {f"k{READ_AS}": READ_AS}
        assert {log["service"] for log in found} == {f"shop{READ_AS}"}


@pytest.mark.parametrize("text", [NO_TEXT, b"\\ud83d(\\ud83d"])
def test_json_is_read_the_same(stack: Stack, tenant: TenantKeys, text: bytes) -> None:
    marker = uuid.uuid4().hex
    content = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"%b %b"}}]}]}]}'
    answer = post(stack, content % (marker.encode(), text), "application/json", authorization=f"Bearer {tenant.ingest}")
    assert "2 byte sequences" in answer.json()["partialSuccess"]["errorMessage"]
    (row,) = stored_rows(stack, marker, 1)
    assert row["body"] == f"{marker} {READ_AS}"


def test_severities_and_ids_cost_their_record_at_most(stack: Stack, tenant: TenantKeys) -> None:
    marker = uuid.uuid4().hex
    odd = [
        LogRecord(severity_number=SeverityNumber.ValueType(number), trace_id=bytes(size), span_id=b"\1" * size)
        for number, size in ((24, 3), (25, 16))
    ]
    for record in odd:
        record.body.string_value = marker
    answer = send(stack, tenant, "grpc", request(odd).SerializeToString())
    assert answer.partial_success.rejected_log_records == 1
    assert "severity number" in answer.partial_success.error_message
    records = [
        '{"severityNumber":%s,"spanId":"%s","body":{"stringValue":"%s"}}' % (number, span, marker)  # noqa: UP031
        for number, span in ((24, "010101"), (2**40, ""))
    ]
    content = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[%s]}]}]}' % ",".join(records)  # noqa: UP031
    json_answer = post(stack, content.encode(), "application/json", authorization=f"Bearer {tenant.ingest}")
    assert json_answer.json()["partialSuccess"]["rejectedLogRecords"] == "1"
    rows = stored_rows(stack, marker, 2)
    assert [(row["severity_number"], row["span"]) for row in rows] == [(24, "00" * 8)] * 2


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_records_with_new_names_are_refused_beyond_the_limit(stack: Stack, tenant: TenantKeys, transport: str) -> None:
    """Sends MANY records with 19 distinct names each. Records within the limit are stored, the others refused."""
    marker, max_names = uuid.uuid4().hex, stack.settings.request_max_attribute_names
    records = [
        LogRecord(
            body=AnyValue(string_value=f"{marker} {number}"),
            attributes=[KeyValue(key=f"{transport}-{number}-{each}") for each in range(19)],
        )
        for number in range(MANY)
    ]
    answer = send(stack, tenant, transport, request(records).SerializeToString())
    # One of the names is that of the resource's attribute.
    kept = (max_names - 1) // 19
    assert answer.partial_success.rejected_log_records == MANY - kept
    assert f"{max_names} distinct attribute names (LOGSIEVE_REQUEST_MAX" in answer.partial_success.error_message
    assert len(stored_rows(stack, marker, kept)) == kept
