"""Tests that a request with too many parts is told the bound that applies to it."""

import re

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ingest.receiver.survey import MAX_GROUPS, survey
from ingest.receiver.tests.fakes import NOW
from kit.errors import TooLarge
from schema.request_size import MAX_NESTED_VALUES

ARRAY = AnyValue(array_value=ArrayValue(values=[AnyValue()] * (MAX_NESTED_VALUES + 1)))
LONG_NAME = Resource(attributes=[KeyValue(key="k" * 1_000_000)])


@pytest.mark.parametrize(
    ("resource_logs", "reason"),
    [
        (
            [ResourceLogs(resource=LONG_NAME, scope_logs=[ScopeLogs(log_records=[LogRecord()] * 900)])],
            "the rows of a request, each with its resource and scope, may have at most 268,435,456 bytes; send smaller "
            "requests",
        ),
        (
            [ResourceLogs(scope_logs=[ScopeLogs(log_records=[LogRecord(body=ARRAY)])])],
            "a request may have at most 500000 values inside arrays and maps, but this one has 500001; send smaller "
            "requests",
        ),
        (
            [ResourceLogs()] * (MAX_GROUPS + 1),
            "a request may have at most 200000 resources, scopes and entities together, but this one has 200001; send "
            "smaller requests",
        ),
    ],
)
def test_a_request_with_too_many_parts_is_told_the_bound(resource_logs: list[ResourceLogs], reason: str) -> None:
    request = ExportLogsServiceRequest(resource_logs=resource_logs).SerializeToString()
    with pytest.raises(TooLarge, match=f"^{re.escape(reason)}$"):
        survey(request, 1000, NOW)
