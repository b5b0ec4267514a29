"""Tests which values of a body redactions search before Kafka gets it."""

from collections.abc import Sequence

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from ingest.receiver.admit import Admission, Admitter, Window
from ingest.receiver.survey import survey
from ingest.receiver.tests.fakes import NOW
from kit.errors import LogsieveError, TooLarge, Unavailable
from kit.settings import Settings
from logsieve_native import Message
from schema.redactions import Redaction, redactor_of

CARD = 4111111111111111


def value(**plain: object) -> dict[str, object]:
    return plain


def structured(*values: dict[str, object]) -> dict[str, object]:
    named = [{"key": "known", "value": each} for each in values]
    return value(kvlistValue={"values": [*named, {"key": "all", "value": value(arrayValue={"values": [*values]})}]})


def admitted(body: dict[str, object], redactions: Sequence[Redaction]) -> Admission:
    record = LogRecord(time_unix_nano=NOW, body=json_format.ParseDict(body, AnyValue()))
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])])
    return Admitter(Settings()).admit(
        survey(request.SerializeToString(), 1_000, NOW),
        1,
        Window.at(NOW, retention_days=30, future_tolerance_seconds=3600),
        redactor_of(redactions),
    )


def redacted(body: dict[str, object], name: str, expression: str | None = None) -> tuple[object, int]:
    """Returns the body that Kafka gets, and the number of replaced matches."""
    admission = admitted(body, [Redaction(name, expression)])
    kept = ExportLogsServiceRequest.FromString(admission.value).resource_logs[0].scope_logs[0].log_records[0].body
    return json_format.MessageToDict(kept), admission.redacted


@pytest.mark.parametrize(
    "number", [value(stringValue=str(CARD)), value(intValue=str(CARD)), value(doubleValue=float(CARD))]
)
def test_a_card_number_is_found_as_text_and_as_number(number: dict[str, object]) -> None:
    hidden, count = redacted(number, "card")
    assert isinstance(hidden, dict)
    assert (str(hidden["stringValue"]).removesuffix(".0"), count) == ("***", 1)
    hidden, count = redacted(structured(number), "card")
    assert (str(CARD) in str(hidden), count) == (False, 2)


@pytest.mark.parametrize(
    "other",
    [
        value(intValue=str(CARD + 1)),
        value(intValue="-7"),
        value(doubleValue=0.25),
        value(doubleValue="NaN"),
        value(boolValue=True),
        value(bytesValue="NDExMTExMTExMTExMTExMQ=="),
    ],
)
def test_other_values_keep_their_type(other: dict[str, object]) -> None:
    for body in (other, structured(other)):
        assert redacted(body, "card") == (body, 0)


def test_an_expression_of_an_operator_searches_numbers() -> None:
    assert redacted(value(intValue="-12345"), "account", "2[0-9]+4") == (value(stringValue="-1***5"), 1)


def test_expressions_that_match_the_masks_of_others_are_named_as_the_reason() -> None:
    stars = [Redaction(f"stars-{number}", r"\*") for number in range(20)]
    with pytest.raises(TooLarge, match=r"more than four times as long: change the expressions"):
        admitted(value(stringValue="*"), stars)


class SlowControl:
    """Fake of native code whose redactions take too long."""

    def admit(self, *_arguments: object) -> None:
        raise TimeoutError("its redactions take longer than 5 s")


@pytest.mark.parametrize(
    ("processor_seconds", "refusal", "reason"),
    [(4.9, TooLarge, "its redactions take longer than 5 s"), (1.0, Unavailable, "too busy to redact")],
)
def test_redactions_that_are_slow_because_the_machine_is_busy_can_be_tried_again(
    processor_seconds: float, refusal: type[LogsieveError], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter((10.0, 10.0 + processor_seconds))
    admitter = Admitter(Settings(), lambda: next(times))
    monkeypatch.setattr(admitter, "_control", SlowControl())
    with pytest.raises(refusal, match=reason):
        admitter.admit(Message(b"", NOW), 1, Window.at(NOW, 30, 3600))
