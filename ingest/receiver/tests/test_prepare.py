"""Tests that native code accepts exactly the requests that protobuf's own library accepts."""

import pytest
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from ingest.receiver.admit import Admitter, Window
from ingest.receiver.prepare import prepare
from kit.errors import InvalidRequest
from kit.settings import Settings
from schema.tests.otlp_messages import Messages
from schema.tests.utf8 import with_utf8

_NOW = 1_795_000_000_000_000_000
_MAX_ROWS = 1000


def _expected(raw: bytes, window: Window) -> tuple[ExportLogsServiceRequest, int, int] | None:
    """Returns the request without the records that cannot be kept, and the numbers of kept and refused records."""
    request = ExportLogsServiceRequest()
    try:
        request.ParseFromString(with_utf8(raw))
    except DecodeError:
        return None
    kept = refused = 0
    for resource_logs in list(request.resource_logs):
        before = kept, refused
        for scope_logs in list(resource_logs.scope_logs):
            records = list(scope_logs.log_records)
            fitting = [
                record
                for record in records
                if 0 <= record.severity_number <= 24
                and window.oldest <= (record.time_unix_nano or record.observed_time_unix_nano or _NOW) <= window.newest
            ]
            kept += len(fitting)
            refused += len(records) - len(fitting)
            del scope_logs.log_records[:]
            scope_logs.log_records.extend(fitting)
            if records and not fitting:
                resource_logs.scope_logs.remove(scope_logs)
        if kept == before[0] and refused > before[1]:
            request.resource_logs.remove(resource_logs)
    return request, kept, refused


def test_requests_are_answered_as_by_the_library() -> None:
    window = Window.at(_NOW, 30, 3600)
    messages, outcomes, admitter = Messages(7), set[str](), Admitter(Settings())
    for number in range(80):
        raw = messages.any()
        if number % 2:
            raw = raw.replace(b"xx", b"x\xc3")
        expected = _expected(raw, window)
        if expected is None:
            with pytest.raises(InvalidRequest):
                prepare(raw, _MAX_ROWS, window, admitter, 1, None)
            outcomes.add("malformed")
            continue
        request, kept, refused = expected
        found = prepare(raw, _MAX_ROWS, window, admitter, 1, None)
        assert (found.admission.kept, found.admission.records_refused, found.records) == (kept, refused, kept + refused)
        if refused:
            assert ExportLogsServiceRequest.FromString(found.admission.value) == request
        else:
            assert found.admission.value == raw or found.replaced
        outcomes |= {"refused" if refused else "kept", "replaced" if found.replaced else "as it came"}
    assert outcomes == {"malformed", "kept", "refused", "replaced", "as it came"}
