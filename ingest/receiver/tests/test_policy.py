"""Tests the attribute policy in the receiver: the messages that Kafka gets."""

import asyncio
import dataclasses
import json
import threading
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ingest.receiver.encoding import Encoding
from ingest.receiver.intake import (
    REDACT_IN_THREAD_FROM_BYTES,
    SURVEY_IN_THREAD_FROM_BYTES,
    THREAD_FROM_BYTES,
    Export,
)
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.prepare import Prepared, prepare
from ingest.receiver.tests.fakes import NOW, TENANT, Receiver, Topic
from kit.errors import TooLarge
from kit.settings import Settings
from logsieve_native import Message
from schema.attribute_rules import Action, Rule, TenantRules
from schema.redactions import Redaction

RULES = TenantRules(
    installation=(Rule("authorization", False, Action.mask), Rule("internal.", True, Action.drop)),
    own=(Rule("internal.kept", False, Action.mask),),
)

BUILT_IN = (Redaction("card", None),)


def pairs_of(values: dict[str, str]) -> list[KeyValue]:
    return [KeyValue(key=key, value=AnyValue(string_value=text)) for key, text in values.items()]


def request(attributes: list[KeyValue], *times: int, body: str = "hello") -> ExportLogsServiceRequest:
    """Returns a request with these attributes on resource, scope and each record."""
    records = [
        LogRecord(time_unix_nano=time, body=AnyValue(string_value=body), attributes=attributes) for time in times
    ]
    scope_logs = ScopeLogs(scope=InstrumentationScope(name="s", attributes=attributes), log_records=records)
    return ExportLogsServiceRequest(
        resource_logs=[ResourceLogs(resource=Resource(attributes=attributes), scope_logs=[scope_logs])]
    )


def as_json(attributes: dict[str, str], *times: int) -> bytes:
    """Returns the request that `request` makes, in OTLP's JSON."""
    pairs = [{"key": key, "value": {"stringValue": text}} for key, text in attributes.items()]
    records: list[dict[str, Any]] = [
        {"timeUnixNano": str(time), "body": {"stringValue": "hello"}, "attributes": pairs} for time in times
    ]
    scope_logs = {"scope": {"name": "s", "attributes": pairs}, "logRecords": records}
    return json.dumps({"resourceLogs": [{"resource": {"attributes": pairs}, "scopeLogs": [scope_logs]}]}).encode()


def take(
    content: bytes, encoding: Encoding = Encoding.protobuf, rules: TenantRules = RULES
) -> tuple[ExportLogsServiceResponse, list[bytes]]:
    """Returns the answer to the sender, and the values that Kafka got."""
    topic = Topic()
    tenant = dataclasses.replace(TENANT, attribute_rules=rules)

    async def export() -> ExportLogsServiceResponse:
        receiver = Receiver(topic, tenant).intake(Settings())
        try:
            with MemoryBudget(100_000_000).share(TENANT.id) as share:
                share.grow(len(content))
                return await receiver.take(tenant, Export(content, encoding, ""), share)
        finally:
            receiver.close()

    answer = asyncio.run(export())
    return answer, [value for _, value in topic.messages]


BEFORE = {"a": "1", "Authorization": "s3cret", "internal.path": "s3cret", "internal.kept": "s3cret"}
AFTER = {"a": "1", "Authorization": "***", "internal.kept": "***"}


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        (Encoding.protobuf, request(pairs_of(BEFORE), NOW, NOW + 1).SerializeToString()),
        (Encoding.json, as_json(BEFORE, NOW, NOW + 1)),
    ],
)
def test_secrets_of_record_resource_and_scope_do_not_reach_kafka(encoding: Encoding, content: bytes) -> None:
    answer, (value,) = take(content, encoding)
    assert answer == ExportLogsServiceResponse()
    assert ExportLogsServiceRequest.FromString(value) == request(pairs_of(AFTER), NOW, NOW + 1)
    assert b"s3cret" in content
    assert b"s3cret" not in value
    assert b"internal.path" not in value


def test_a_request_that_meets_no_rule_goes_on_as_its_bytes() -> None:
    content = request(pairs_of({"a": "1", "authorizations": "fine"}), NOW).SerializeToString()
    # An unknown field in front, as no serializer writes it: only the original bytes have it there.
    content = b"\xfa\x07\x03new" + content
    assert take(content)[1] == [content]
    assert take(content, rules=TenantRules())[1] == [content]


@pytest.mark.parametrize("size", [THREAD_FROM_BYTES, SURVEY_IN_THREAD_FROM_BYTES])
def test_requests_decoded_in_a_thread_take_the_same_way(size: int) -> None:
    content = request(pairs_of(BEFORE), NOW, body="x" * size).SerializeToString()
    _, (value,) = take(content)
    assert ExportLogsServiceRequest.FromString(value) == request(pairs_of(AFTER), NOW, body="x" * size)


def test_records_that_cannot_be_kept_are_refused_as_before() -> None:
    answer, (value,) = take(request(pairs_of(BEFORE), NOW, 1).SerializeToString())
    assert answer.partial_success.rejected_log_records == 1
    assert "older than the tenant's retention" in answer.partial_success.error_message
    assert ExportLogsServiceRequest.FromString(value) == request(pairs_of(AFTER), NOW)


def test_a_record_all_of_whose_attributes_are_dropped_is_kept() -> None:
    answer, (value,) = take(request(pairs_of({"internal.a": "1", "internal.b": "2"}), NOW).SerializeToString())
    assert answer == ExportLogsServiceResponse()
    assert ExportLogsServiceRequest.FromString(value) == request([], NOW)


@pytest.mark.parametrize(
    "rules", [RULES, TenantRules(redactions=(Redaction("x", "x"),))], ids=["a masked empty value", "a redacted letter"]
)
def test_a_request_whose_rows_outgrow_the_loaders_limit_by_its_rules_is_refused(
    rules: TenantRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = request(pairs_of({"authorization": ""}), *[NOW] * 10, body="x").SerializeToString()
    monkeypatch.setattr("ingest.receiver.prepare.MAX_ROW_BYTES", Message(content, NOW).row_bytes)
    take(content, rules=TenantRules())
    with pytest.raises(TooLarge, match="after the attribute rules and redactions"):
        take(content, rules=rules)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Returns a list that receives the number of the thread of each call of `prepare`."""
    seen = list[int]()

    def prepare_seen(*arguments: Any) -> Prepared:
        seen.append(threading.get_ident())
        return prepare(*arguments)

    monkeypatch.setattr("ingest.receiver.intake.prepare", prepare_seen)
    return seen


@pytest.mark.parametrize(
    ("redactions", "in_thread"),
    [
        ((), False),
        (BUILT_IN, False),
        ((*BUILT_IN, Redaction("own", "(?s)x.*y|x")), True),
    ],
)
def test_texts_are_not_searched_by_own_expressions_on_the_event_loop(
    redactions: tuple[Redaction, ...], in_thread: bool, threads: list[int]
) -> None:
    take(request([], NOW).SerializeToString(), rules=TenantRules(redactions=redactions))
    assert (threads != [threading.get_ident()]) == in_thread


@pytest.mark.parametrize(
    ("rules", "size", "in_thread"),
    [
        (TenantRules(), THREAD_FROM_BYTES, False),
        (TenantRules(), SURVEY_IN_THREAD_FROM_BYTES, True),
        (RULES, 0, False),
        (RULES, THREAD_FROM_BYTES, True),
        (TenantRules(installation=RULES.installation), THREAD_FROM_BYTES, True),
        (TenantRules(own=RULES.own), THREAD_FROM_BYTES, True),
        (TenantRules(redactions=BUILT_IN), 0, False),
        (TenantRules(redactions=BUILT_IN), REDACT_IN_THREAD_FROM_BYTES, True),
    ],
)
def test_rules_are_applied_to_large_requests_in_a_thread(
    rules: TenantRules, size: int, in_thread: bool, threads: list[int]
) -> None:
    take(request([], NOW, body="x" * size).SerializeToString(), rules=rules)
    assert (threads != [threading.get_ident()]) == in_thread
