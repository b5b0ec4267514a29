"""Makes OTLP export requests in the form in which the receiver writes them to Kafka."""

import secrets

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs


def request_of(*times_ns: int) -> ExportLogsServiceRequest:
    """Returns a request with one record for each time, each with a unique body."""
    records = [LogRecord(time_unix_nano=each, body=AnyValue(string_value=secrets.token_hex(12))) for each in times_ns]
    return ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])])
