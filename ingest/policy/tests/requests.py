"""Short ways to write requests and policies in tests."""

from collections.abc import Mapping, Sequence

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    InstrumentationScope,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ingest.policy.apply import Policy
from schema.attribute_rules import Action, Rule, TenantRules
from schema.otlp import read_message

Plain = str | int | float | bool | bytes | None | Sequence["Plain"] | Mapping[str, "Plain"]
Attributes = Mapping[str, Plain] | Sequence[tuple[str, Plain]]
"""Attributes. In pairs, a name may occur twice."""


def value(plain: Plain) -> AnyValue:
    """Returns the OTLP value for a Python value."""
    if isinstance(plain, Mapping):
        return AnyValue(kvlist_value=KeyValueList(values=pairs(plain)))
    if isinstance(plain, str):
        return AnyValue(string_value=plain)
    if isinstance(plain, bytes):
        return AnyValue(bytes_value=plain)
    if isinstance(plain, Sequence):
        return AnyValue(array_value=ArrayValue(values=[value(each) for each in plain]))
    empty = AnyValue()
    if plain is not None:
        setattr(empty, {bool: "bool_value", int: "int_value", float: "double_value"}[type(plain)], plain)
    return empty


def pairs(plain: Attributes) -> list[KeyValue]:
    items = plain.items() if isinstance(plain, Mapping) else plain
    return [KeyValue(key=key, value=value(each)) for key, each in items]


def request(
    log: Attributes = (), resource: Attributes = (), scope: Attributes = (), body: Plain = "hello"
) -> ExportLogsServiceRequest:
    """Returns a request of two equal records in one scope of one resource."""
    record = LogRecord(time_unix_nano=1, body=value(body), attributes=pairs(log))
    scope_logs = ScopeLogs(
        scope=InstrumentationScope(name="scope", attributes=pairs(scope)), log_records=[record, record]
    )
    return ExportLogsServiceRequest(
        resource_logs=[ResourceLogs(resource=Resource(attributes=pairs(resource)), scope_logs=[scope_logs])]
    )


def policy(*, drop: str = "", mask: str = "", drop_prefix: str = "", mask_prefix: str = "") -> Policy:
    """Returns a policy. Names and prefixes are separated by spaces."""
    kinds = (
        (drop, False, Action.drop),
        (mask, False, Action.mask),
        (drop_prefix, True, Action.drop),
        (mask_prefix, True, Action.mask),
    )
    rules = [Rule(each, is_prefix, action) for names, is_prefix, action in kinds for each in names.split()]
    return Policy(TenantRules(tuple(rules)))


def apply(policy: Policy, to: ExportLogsServiceRequest) -> tuple[int, int]:
    """Applies the policy to the request. Returns the numbers of dropped and masked attributes."""
    message = read_message(to.SerializeToString(), 1)
    applied = policy.apply(message)
    assert (applied.message is message) == (not applied.dropped + applied.masked)
    to.Clear()
    to.MergeFromString(applied.message.value)
    return applied.dropped, applied.masked
