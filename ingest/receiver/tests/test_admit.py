import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from ingest.receiver.admit import Admission, Window, admit
from ingest.receiver.tests.fakes import DAY, NOW

WINDOW = Window.at(NOW, retention_days=30, future_tolerance_seconds=3600)
OLDEST, NEWEST = NOW - 30 * DAY, NOW + 3600 * 10**9


def request(*scopes: list[LogRecord]) -> ExportLogsServiceRequest:
    scope_logs = [ScopeLogs(log_records=records) for records in scopes]
    return ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=scope_logs)])


@pytest.mark.parametrize(
    ("record", "kept", "too_old", "too_new"),
    [
        (LogRecord(time_unix_nano=OLDEST), 1, 0, 0),
        (LogRecord(time_unix_nano=OLDEST - 1), 0, 1, 0),
        (LogRecord(time_unix_nano=NEWEST), 1, 0, 0),
        (LogRecord(time_unix_nano=NEWEST + 1), 0, 0, 1),
        (LogRecord(time_unix_nano=2**64 - 1), 0, 0, 1),
        (LogRecord(observed_time_unix_nano=OLDEST - 1), 0, 1, 0),
        (LogRecord(time_unix_nano=NOW, observed_time_unix_nano=1), 1, 0, 0),
        (LogRecord(), 1, 0, 0),
    ],
)
def test_the_window_is_exact(record: LogRecord, kept: int, too_old: int, too_new: int) -> None:
    size = record.ByteSize()
    assert admit(request([record]), WINDOW) == Admission(kept, too_old, too_new, too_old * size, too_new * size)


def test_what_is_kept_keeps_its_order_and_place() -> None:
    good = [LogRecord(time_unix_nano=NOW + number) for number in range(4)]
    bad = LogRecord(time_unix_nano=1)
    mixed = request([good[0], bad, good[1]], [bad], [good[2], good[3]])
    assert admit(mixed, WINDOW) == Admission(4, 2, 0, 2 * bad.ByteSize(), 0)
    assert mixed == request([good[0], good[1]], [], [good[2], good[3]])


def test_the_reason_counts_each_kind() -> None:
    assert Admission(5, 0, 0, 0, 0).reason == ""
    assert Admission(5, 2, 1, 0, 0).reason == (
        "2 with a timestamp older than the tenant's retention, 1 with a timestamp too far in the future"
    )
