"""What is passed on unparsed is what parsing would have let through."""

import pytest
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from ingest.policy.policy import Policy
from ingest.receiver.admit import Admission, Window, admit
from ingest.receiver.decode import Encoding
from ingest.receiver.prepare import Prepared, pass_on, prepare
from kit.errors import InvalidRequest
from schema.attribute_rules import NO_RULES
from schema.tests.otlp_messages import Messages

_NOW = 1_795_000_000_000_000_000
_MOST = 1000


def _expected(raw: bytes, window: Window) -> tuple[Admission, bytes] | None:
    request = ExportLogsServiceRequest()
    try:
        request.ParseFromString(raw)
    except DecodeError:
        return None
    admission = admit(request, window)
    return admission, request.SerializeToString() if admission.refused else raw


@pytest.mark.parametrize(
    "window", [Window.at(_NOW, 30, 3600), Window(0, 2**64 - 1, _NOW)], ids=["a month", "all times"]
)
def test_requests_are_answered_as_by_the_library(window: Window) -> None:
    messages, outcomes = Messages(7), set[str]()
    for _ in range(80):
        raw = messages.any()
        expected = _expected(raw, window)
        if expected is None:
            with pytest.raises(InvalidRequest):
                pass_on(raw, _MOST, window)
            with pytest.raises(InvalidRequest):
                prepare(raw, Encoding.protobuf, _MOST, window, Policy(NO_RULES))
            outcomes.add("malformed")
            continue
        admission, value = expected
        whole = Prepared(value, admission, admission.kept + admission.refused, 0, 0)
        assert prepare(raw, Encoding.protobuf, _MOST, window, Policy(NO_RULES)) == whole
        assert pass_on(raw, _MOST, window) == (None if admission.refused else whole)
        outcomes.add("refused" if admission.refused else "kept")
    assert outcomes >= {"malformed", "kept"}
    assert ("refused" in outcomes) == (window.oldest > 0)
