"""Rows to load, for tests in which only the number of rows matters."""

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import LogMessage

_ENVELOPE = Envelope(tenant_id=1, lane=0, cohort="r30", body_max_bytes=10, received_at=1)


def some_rows(count: int) -> LogMessage:
    """Returns a message with this number of empty records."""
    scope_logs = ScopeLogs(log_records=[LogRecord()] * count)
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[scope_logs])])
    return LogMessage.read(request.SerializeToString(), _ENVELOPE, Coordinates(1, 1, 1))


def rows_on_days(offset: int, days: set[int]) -> LogMessage:
    """Returns a message at this offset with one record on each of the days, counted since the Unix epoch.

    The offset is the records' severity text, so that the counts of fields show whose rows were counted.
    """
    records = [LogRecord(time_unix_nano=day * 86_400 * 10**9, severity_text=str(offset)) for day in sorted(days)]
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])])
    return LogMessage.read(request.SerializeToString(), _ENVELOPE, Coordinates(1, 1, offset))
