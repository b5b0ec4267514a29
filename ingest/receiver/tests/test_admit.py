"""Tests that records within the limits are kept, and that the request is passed on without the others."""

from collections.abc import Callable

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ingest.receiver.admit import TEXT_MAX_BYTES, Admission, Admitter, Window
from ingest.receiver.survey import survey
from ingest.receiver.tests.fakes import DAY, NOW
from kit.settings import Settings
from schema.refusals import RecordReason
from schema.tests.otlp_messages import field, group

WINDOW = Window.at(NOW, retention_days=30, future_tolerance_seconds=3600)
OLDEST, NEWEST = NOW - 30 * DAY, NOW + 3600 * 10**9
LIMITS = Settings(record_max_attribute_names=4, request_max_attribute_names=10, tenant_max_attribute_names_per_day=15)


def request(*scopes: list[LogRecord]) -> ExportLogsServiceRequest:
    scope_logs = [ScopeLogs(log_records=records) for records in scopes]
    return ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=scope_logs)])


def named(*names: str) -> list[KeyValue]:
    return [KeyValue(key=name) for name in names]


def record(*names: str) -> LogRecord:
    return LogRecord(time_unix_nano=NOW, attributes=named(*names))


def admit(raw: bytes, admitter: Admitter | None = None, tenant_id: int = 1, window: Window = WINDOW) -> Admission:
    return (admitter or Admitter(LIMITS)).admit(survey(raw, 1000, window.now), tenant_id, window)


def admitted(
    message: ExportLogsServiceRequest, admitter: Admitter | None = None, tenant_id: int = 1, window: Window = WINDOW
) -> tuple[ExportLogsServiceRequest, dict[str, int]]:
    """Returns the records that are left, and the number of refused records by reason."""
    admission = admit(message.SerializeToString(), admitter, tenant_id, window)
    refused = {str(each.reason): each.records for each in admission.refused}
    return ExportLogsServiceRequest.FromString(admission.value), refused


def test_records_of_days_that_the_disks_do_not_let_the_tenant_keep_are_too_old() -> None:
    first = NOW // DAY - 2
    window = Window.at(NOW, retention_days=30, future_tolerance_seconds=3600, kept_from_day=first)
    kept, refused = [LogRecord(time_unix_nano=first * DAY)], [LogRecord(time_unix_nano=first * DAY - 1)]
    assert admitted(request(kept, refused), window=window) == (request(kept), {"too_old": 1})
    detail = admit(request(refused).SerializeToString(), window=window).detail
    assert detail.endswith("or than the first day that full disks let it keep (`logsieve tenant storage`)")
    # Days before the retention stay refused.
    assert Window.at(NOW, retention_days=1, future_tolerance_seconds=0, kept_from_day=first).oldest == NOW - DAY


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (LogRecord(time_unix_nano=OLDEST), None),
        (LogRecord(time_unix_nano=OLDEST - 1), RecordReason.too_old),
        (LogRecord(time_unix_nano=NEWEST), None),
        (LogRecord(time_unix_nano=NEWEST + 1), RecordReason.too_new),
        (LogRecord(time_unix_nano=2**64 - 1), RecordReason.too_new),
        (LogRecord(observed_time_unix_nano=OLDEST - 1), RecordReason.too_old),
        (LogRecord(time_unix_nano=NOW, observed_time_unix_nano=1), None),
        (LogRecord(), None),
        (LogRecord(severity_number=SeverityNumber.ValueType(24)), None),
        (LogRecord(severity_number=SeverityNumber.ValueType(25)), RecordReason.severity_number),
        (LogRecord(severity_number=SeverityNumber.ValueType(-1)), RecordReason.severity_number),
    ],
)
def test_time_and_severity_are_exact(record: LogRecord, reason: RecordReason | None) -> None:
    raw = request([record]).SerializeToString()
    admission = admit(raw)
    assert [(each.reason, each.records, each.size) for each in admission.refused] == (
        [] if reason is None else [(reason, 1, record.ByteSize())]
    )
    assert (admission.kept, admission.value == raw) == (int(reason is None), reason is None)


def test_what_is_kept_keeps_its_order_and_place() -> None:
    good = [LogRecord(time_unix_nano=NOW + number) for number in range(4)]
    bad = LogRecord(time_unix_nano=1)
    mixed = request([good[0], bad, good[1]], [bad], [], [good[2], good[3]])
    left, refused = admitted(mixed)
    assert refused == {"too_old": 2}
    assert left == request([good[0], good[1]], [], [good[2], good[3]]), "a scope that lost all its records goes too"


def test_what_nobody_knows_stays_where_it_was() -> None:
    unknown, groups = field(77, b"new"), group(50, b"\x08\x01")
    kept, refused = field(2, record().SerializeToString()), field(2, LogRecord(time_unix_nano=1).SerializeToString())
    around = (unknown + groups, groups + unknown + groups)
    assert admit(field(1, field(2, around[0] + kept + refused + around[1]))).value == field(
        1, field(2, around[0] + kept + around[1])
    )


def test_a_record_may_have_so_many_names() -> None:
    fits, over = record(*"abcdaa"), record(*"abcde")
    assert admitted(request([fits, over, fits])) == (request([fits, fits]), {"record_attribute_names": 1})


@pytest.mark.parametrize("where", ["resource", "scope"])
def test_so_may_its_resource_and_its_scope(where: str) -> None:
    def with_names(names: str) -> ExportLogsServiceRequest:
        attributes = {each: named(*names) if each == where else [] for each in ("resource", "scope")}
        scope = InstrumentationScope(name="s", attributes=attributes["scope"])
        resource = Resource(attributes=attributes["resource"])
        scope_logs = ScopeLogs(scope=scope, log_records=[record("a"), record("b")])
        return ExportLogsServiceRequest(resource_logs=[ResourceLogs(resource=resource, scope_logs=[scope_logs])])

    assert admitted(with_names("abcd")) == (with_names("abcd"), {})
    assert admitted(with_names("abcde")) == (ExportLogsServiceRequest(), {"record_attribute_names": 2})


def test_a_resource_after_its_records_and_in_pieces_counts() -> None:
    pieces = [field(1, Resource(attributes=named(*names)).SerializeToString()) for names in ("abc", "cde")]
    records = field(2, field(2, record("x").SerializeToString()))
    for raw in (field(1, records + pieces[0] + pieces[1]), field(1, pieces[0] + records + pieces[1])):
        assert [each.reason for each in admit(raw).refused] == [RecordReason.record_attribute_names]


def with_texts(record: LogRecord, scope: InstrumentationScope, *attributes: KeyValue) -> ExportLogsServiceRequest:
    scope_logs = ScopeLogs(scope=scope, log_records=[record, LogRecord()])
    return ExportLogsServiceRequest(
        resource_logs=[ResourceLogs(resource=Resource(attributes=attributes), scope_logs=[scope_logs])]
    )


def service(value: AnyValue) -> KeyValue:
    return KeyValue(key="service.name", value=value)


NO_SCOPE = InstrumentationScope()


@pytest.mark.parametrize(
    ("message_of", "refused"),
    [
        (lambda text: with_texts(LogRecord(severity_text=text), NO_SCOPE), 1),
        (lambda text: with_texts(LogRecord(event_name=text), NO_SCOPE), 1),
        (lambda text: with_texts(record("a", text), NO_SCOPE), 1),
        (lambda text: with_texts(record(), InstrumentationScope(name=text)), 2),
        (lambda text: with_texts(record(), InstrumentationScope(name="s", version=text)), 2),
        (lambda text: with_texts(record(), NO_SCOPE, *named(text)), 2),
        (lambda text: with_texts(record(), NO_SCOPE, service(AnyValue(string_value=text))), 2),
        # The column has the array as JSON, which has four bytes more than the text in it.
        (
            lambda text: with_texts(
                record(),
                NO_SCOPE,
                service(AnyValue(array_value=ArrayValue(values=[AnyValue(string_value=text[2:])]))),
            ),
            2,
        ),
    ],
    ids=["severity", "event", "attribute", "scope", "version", "resource attribute", "service", "service as JSON"],
)
def test_texts_of_columns_with_dictionaries_may_be_so_long(
    message_of: Callable[[str], ExportLogsServiceRequest], refused: int
) -> None:
    fits, over = message_of("é" * (TEXT_MAX_BYTES // 2)), message_of("x" + "é" * (TEXT_MAX_BYTES // 2))
    assert admitted(fits) == (fits, {})
    left, reasons = admitted(over)
    assert reasons == {"text_too_long": refused}
    assert sum(len(scope.log_records) for each in left.resource_logs for scope in each.scope_logs) == 2 - refused


def test_other_texts_and_names_may_be_longer() -> None:
    text = "x" * (TEXT_MAX_BYTES + 1)
    nested = AnyValue(kvlist_value=KeyValueList(values=named(text)))
    kept = with_texts(
        LogRecord(body=AnyValue(string_value=text), attributes=[KeyValue(key="a", value=nested)]),
        InstrumentationScope(attributes=named(text)),
        KeyValue(key="b", value=AnyValue(string_value=text)),
    )
    assert admitted(kept) == (kept, {})


def test_a_long_text_counts_by_the_last_of_repeated_fields_and_with_names_as_before() -> None:
    long = field(3, b"x" * (TEXT_MAX_BYTES + 1))
    raw = field(1, field(2, field(2, long + field(3, b"short")) + field(2, field(3, b"short") + long)))
    admission = admit(raw)
    assert [(each.reason, each.records) for each in admission.refused] == [(RecordReason.text_too_long, 1)]
    # A name at the same place in the next record is as long.
    name = "x" * (TEXT_MAX_BYTES + 1)
    assert admitted(request([record(name), record(name), record("a")]))[1] == {"text_too_long": 2}


def test_a_request_may_have_so_many_names_and_the_first_come_first() -> None:
    known = [record(*"abcd"), record(*"efgh"), record("i", "j")]
    assert admitted(request([*known, record("k"), record(*"jih")])) == (
        request([*known, record(*"jih")]),
        {"request_attribute_names": 1},
    )


def test_a_record_that_is_refused_brings_no_names() -> None:
    old = LogRecord(time_unix_nano=1, attributes=named(*"zyxw"))
    known = [record(*"abcd"), record(*"efgh"), record("i", "j")]
    assert admitted(request([old, *known])) == (request(known), {"too_old": 1})


def test_a_tenants_day_has_so_many_names() -> None:
    admitter = Admitter(LIMITS)
    first = request([record(*"abcd"), record(*"efgh")])
    assert admitted(first, admitter) == (first, {})
    more = request([record(*"ijkl"), record(*"mnop"), record(*"mno"), record(*"abp")])
    expected = request([more.resource_logs[0].scope_logs[0].log_records[index] for index in (0, 2)])
    assert admitted(more, admitter) == (expected, {"day_attribute_names": 2})
    assert admitted(first, admitter) == (first, {}), "names of the day stay welcome"
    assert admitted(request([record("p")]), admitter, tenant_id=2)[1] == {}, "another tenant has a day of its own"
    tomorrow = Window.at(NOW + DAY, retention_days=30, future_tolerance_seconds=3600)
    assert admitted(request([record(*"pqrs")]), admitter, window=tomorrow)[1] == {}


@pytest.mark.parametrize(("days", "refused"), [(1, {"day_attribute_names": 1}), (2, {}), (7, {})])
def test_names_of_a_wrong_clock_are_forgotten_when_the_clock_is_corrected(days: int, refused: dict[str, int]) -> None:
    """A request from before midnight may arrive after one of the next day, so names of the next day count for it."""
    admitter = Admitter(LIMITS)
    ahead = Window.at(NOW + days * DAY, retention_days=30, future_tolerance_seconds=3600)
    for names in ("abcd", "efgh", "ijkl"):
        assert admitted(request([record(*names)]), admitter, window=ahead)[1] == {}
    assert admitted(request([record(*"mnop")]), admitter)[1] == refused


def test_the_answer_names_the_limit_and_what_to_do() -> None:
    many = request([record(*"abcde"), LogRecord(time_unix_nano=1), LogRecord(time_unix_nano=1)])
    assert admit(many.SerializeToString()).detail == (
        "2 records with a timestamp older than the tenant's retention or than the first day that full disks let it "
        "keep (`logsieve tenant storage`), 1 record with more than 4 distinct attribute names on the record, its "
        "resource or its scope (LOGSIEVE_RECORD_MAX_ATTRIBUTE_NAMES; send the others as one attribute that is a map)"
    )
    assert admit(b"").detail == ""


def test_an_answer_about_a_sender_whose_clock_is_ahead_names_the_setting() -> None:
    ahead = request([LogRecord(time_unix_nano=NOW + DAY)])
    assert admit(ahead.SerializeToString()).detail == (
        f"1 record with a timestamp more than {LIMITS.future_tolerance_seconds} s ahead of the receiver's clock "
        "(LOGSIEVE_FUTURE_TOLERANCE_SECONDS; check the sender's clock)"
    )
